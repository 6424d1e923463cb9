import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { differencesIn } from '../fixtures/copies.js'
import { readEvents } from '../fixtures/scope/events.js'
import { emptyTables } from '../fixtures/scope/facts.js'
import { outcomes } from '../fixtures/scope/outcomes.js'
import { createWorld } from '../fixtures/scope/random-world.js'
import { origin } from '../fixtures/scope/requests.js'
import { isUnchanged, startRun } from '../fixtures/scope/run.js'
import {
  followItems,
  nameStrangers,
  readAllLists,
  readList,
  readResource,
  sendCursor,
  writeResource
} from '../fixtures/scope/steps.js'
import { tryWorlds } from '../fixtures/scope/worlds.js'

/**
 * Random organizations with their resources, and random callers that read, list and write: no
 * caller sees, changes or learns of anything that the rules do not grant, and every caller finds
 * all that they grant. The rules are in fixtures/scope/rules.ts.
 */

const STEPS_OF_WORLD = 750
const USUAL_WORLDS = 4

/** Relative frequency by repetition. */
const steps = [
  ...[readResource, readResource, readResource, readResource, readResource],
  ...[readList, readList, readList, sendCursor, readEvents, readEvents],
  ...[writeResource, writeResource, writeResource, writeResource, writeResource]
]

t.test('the service follows the access rules in random worlds', async (t) => {
  const app = await testApp(t, { PUBLIC_URL: origin })
  await tryWorlds(t, USUAL_WORLDS, outcomes, async (random, saw) => {
    await emptyTables(app.sql)
    await createWorld(app, random)
    const run = await startRun(app, random, saw)
    for (let step = 0; step < STEPS_OF_WORLD; step++) await random.one(steps)(run)
    await nameStrangers(run)
    await followItems(run)
    await readAllLists(run)
    if (!(await isUnchanged(run))) throw new Error('reading changed rows')
    t.same(await differencesIn(app.sql), [])
  })
})
