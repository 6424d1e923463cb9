import t from 'tap'
import { userTypes } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import { ledgerOf, orderFaults } from '../fixtures/events/ledger-checks.js'
import { askForEvents, type Places } from '../fixtures/events/random-asks.js'
import { type EventFacts, eventFacts, type Outcome } from '../fixtures/events/visibility-model.js'
import { emptyTables } from '../fixtures/scope/facts.js'
import { createWorld } from '../fixtures/scope/random-world.js'
import { origin } from '../fixtures/scope/requests.js'
import { type Run, startRun } from '../fixtures/scope/run.js'
import { writeResource } from '../fixtures/scope/steps.js'
import { tryWorlds } from '../fixtures/scope/worlds.js'

/**
 * Random callers ask for events of random worlds that change meanwhile: each response has exactly
 * the events that its caller may see at that moment. The rules are in
 * fixtures/events/visibility-model.ts.
 */

const ROUNDS_OF_WORLD = 40
/** Requests for events between changes. */
const ASKS_OF_ROUND = 50
const WRITES_OF_ROUND = 4
const USUAL_WORLDS = 5

t.test('a feed shows each caller exactly the events of resources that it may read now', async (t) => {
  const app = await testApp(t, { PUBLIC_URL: origin })
  await tryWorlds(t, USUAL_WORLDS, outcomes(), async (random, saw) => {
    await emptyTables(app.sql)
    await createWorld(app, random)
    const run = await startRun(app, random, saw)
    const places: Places = { 'ssl-order': [], 'ssl-catalogue': [] }
    for (let round = 0; round < ROUNDS_OF_WORLD; round++) {
      for (let write = 0; write < WRITES_OF_ROUND; write++) await writeResource(run)
      const world = await readWorld(run)
      for (let at = 0; at < ASKS_OF_ROUND; at++) await askForEvents(run, world, places)
    }
  })
})

/** The facts and the ledger now. Every change has its event, numbered without gaps. */
async function readWorld({ app, facts }: Run): Promise<EventFacts> {
  const ledger = await ledgerOf(app.sql)
  const faults = orderFaults(ledger)
  if (faults.length > 0) throw new Error(faults.slice(0, 5).join('\n'))
  return eventFacts(facts, ledger)
}

/** What must be seen, which proves that every rule was tried. */
function outcomes(): string[] {
  const seller: Outcome[] = ['visible', 'foreign', 'unpermitted']
  return [
    ...userTypes.flatMap((who) => [`${who} party: visible`, `${who} party: unpermitted`]),
    ...['contract', 'catalogue', 'catalogue-item'].flatMap((family) => [
      `AdministrativeClerk ${family}: visible`,
      `MonitoringResponsible ${family}: visible`,
      ...seller.map((outcome) => `Provider ${family}: ${outcome}`)
    ]),
    ...['annotation', 'white-list'].flatMap((family) => [
      `AdministrativeClerk ${family}: visible`,
      `MonitoringResponsible ${family}: visible`,
      `Provider ${family}: forbidden`
    ]),
    ...['order', 'order-line'].flatMap((family) => [
      `AdministrativeClerk ${family}: forbidden`,
      ...[...seller, 'deleted'].map((outcome) => `MonitoringResponsible ${family}: ${outcome}`),
      ...[...seller, 'deleted', 'of a draft'].map((outcome) => `Provider ${family}: ${outcome}`)
    ]),
    ...['own place', 'place of another caller']
  ]
}
