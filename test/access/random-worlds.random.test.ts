import t from 'tap'
import { type UserType, userTypes } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { idsOf } from '../fixtures/routes/addresses.js'
import { allPrincipals, randomPrincipal } from '../fixtures/scope/callers.js'
import {
  changeViolations,
  isAllowed,
  readViolations,
  violations,
  writeViolations
} from '../fixtures/scope/check-response.js'
import { chooseTarget } from '../fixtures/scope/choose-reference.js'
import { type EventOutcome, readEvents } from '../fixtures/scope/events.js'
import { emptyTables, type Facts, type Kind, kinds, type Row, readFacts } from '../fixtures/scope/facts.js'
import {
  compareEntries,
  randomFilters,
  referenceFilters,
  requiredFilters
} from '../fixtures/scope/filters.js'
import {
  areEqual,
  checkList,
  expansion,
  faultsOfDevices,
  faultsOfExpanded,
  useCursor
} from '../fixtures/scope/pages.js'
import { createWorld } from '../fixtures/scope/random-world.js'
import { apiOf, NamedResource, origin, referencesOf, type ScopedRequest } from '../fixtures/scope/requests.js'
import {
  accessRules,
  isDeleted,
  isUnsubmitted,
  mayAct,
  mayRead,
  ownersOf,
  type Principal,
  type Verb
} from '../fixtures/scope/rules.js'
import { assertNoViolations, isUnchanged, type Run, sendChecked, startRun } from '../fixtures/scope/run.js'
import { memberNames, strangerOutcomes, writesNamingStrangers } from '../fixtures/scope/strangers.js'
import { runWorlds } from '../fixtures/scope/worlds.js'
import { writeGenerators } from '../fixtures/scope/writes.js'

/**
 * Every kind of outcome of the rules. The run must see all of them: this proves that it tested
 * every rule.
 */

const verbs = ['read', 'create', 'update', 'delete'] as const
const isOfOrder = (kind: Kind) => ['order', 'order-line', 'trace-line'].includes(kind)

/** The expected outcomes of an action, on visible and on hidden resources. */
function outcomesOf(who: UserType, verb: Verb, kind: Kind): string[] {
  const rule = accessRules[kind][verb]
  if (rule === undefined) return []
  const reach = rule[who]
  if (reach === undefined) return verb === 'read' ? ['forbidden'] : []
  return [
    'done',
    ...(reach !== 'all' && verb !== 'create' ? ['foreign'] : []),
    ...(reach === 'sold' && isOfOrder(kind) ? ['unsent'] : []),
    ...(reach === 'bought' && isOfOrder(kind) && verb === 'read' ? ['deleted'] : [])
  ]
}

/** A caller names a forbidden resource in a body. */
const named = [
  ...['creates', 'updates'].flatMap((verb) => [
    `AdministrativeClerk ${verb} party: organization`,
    `AdministrativeClerk ${verb} contract: contract.account`,
    `AdministrativeClerk ${verb} catalogue: catalogue.seller`,
    `AdministrativeClerk ${verb} catalogue-item: catalogue-item.catalogue`
  ]),
  ...['creates annotation', 'updates annotation', 'creates catalogue-item'].map(
    (what) => `AdministrativeClerk ${what}: annotation.buyer`
  ),
  'AdministrativeClerk creates white-list: white-list.buyer',
  'MonitoringResponsible creates order: order.buyer',
  'MonitoringResponsible updates order: order.buyer',
  ...['creates order', 'creates order-line', 'updates order-line'].map(
    (what) => `MonitoringResponsible ${what}: order-line.relatedTo`
  ),
  'MonitoringResponsible creates order-line: order-line.order',
  'Provider updates order-line: order-line.item',
  ...['creates', 'updates'].flatMap((verb) => [
    `Provider ${verb} catalogue: catalogue.seller`,
    `Provider ${verb} catalogue-item: catalogue-item.catalogue`,
    `Provider ${verb} catalogue-item: catalogue-item.relatedTo`
  ])
]

/** A caller filters a list by a hidden resource. */
const asked = [
  'MonitoringResponsible lists order-line',
  'MonitoringResponsible lists trace-line',
  'Provider lists order-line',
  'Provider lists trace-line',
  'Provider lists catalogue-item'
].map((what) => `${what}: by what is hidden`)

const turned = ['own: some', 'another’s: some', 'another’s: none', 'another’s: forbidden', 'before a change']

/** Lines about a device: whether the reader sees the line that delivered it. */
const related = [
  'MonitoringResponsible reads a related line: shown',
  ...['shown', 'hidden'].map((what) => `Provider reads a related line: ${what}`),
  'Provider reads the catalogue-item of a device of another seller'
]

/** Callers read events. */
const sellerReads: EventOutcome[] = ['visible', 'foreign', 'unpermitted']
const told = [
  ...userTypes.flatMap((who) => [`${who}, party: visible`, `${who}, party: unpermitted`]),
  ...['contract', 'catalogue', 'catalogue-item'].flatMap((kind) => [
    `AdministrativeClerk, ${kind}: visible`,
    ...sellerReads.map((outcome) => `Provider, ${kind}: ${outcome}`)
  ]),
  ...['annotation', 'white-list'].flatMap((kind) => [
    `MonitoringResponsible, ${kind}: visible`,
    `Provider, ${kind}: forbidden`
  ]),
  ...['order', 'order-line'].flatMap((kind) => [
    `AdministrativeClerk, ${kind}: forbidden`,
    ...[...sellerReads, 'deleted'].map((outcome) => `MonitoringResponsible, ${kind}: ${outcome}`),
    ...[...sellerReads, 'deleted', 'of a draft'].map((outcome) => `Provider, ${kind}: ${outcome}`)
  ])
].map((what) => what.replace(',', ' reads events of'))

const outcomes: readonly string[] = [
  ...userTypes.flatMap((who) => [
    `${who}: unpermitted`,
    ...kinds.flatMap((kind) => [
      ...verbs.flatMap((verb) =>
        outcomesOf(who, verb, kind).map((each) => `${who} ${verb}s ${kind}: ${each}`)
      ),
      `${who} lists ${kind}: ${accessRules[kind].read?.[who] ? 'some' : 'forbidden'}`
    ])
  ]),
  ...['Provider', 'AdministrativeClerk'].map((who) => `${who} lists catalogue-item: forbidden`),
  ...[...named, ...asked, ...related, ...told, ...strangerOutcomes],
  ...turned.map((what) => `cursor, ${what}`)
]

const likely = (kind: Kind, verb: keyof (typeof accessRules)[Kind]) => {
  const who = accessRules[kind][verb]
  return typeof who === 'object' ? (Object.keys(who) as UserType[]) : userTypes
}

/** Why a resource is hidden from a caller. */
function whyHidden(facts: Facts, { organization }: Principal, row: Row): string {
  if (isDeleted(facts, row)) return 'deleted'
  return ownersOf(facts, row).seller === organization && isUnsubmitted(facts, row) ? 'unsent' : 'foreign'
}

/** Repetition sets the relative frequency: types with more hidden resources occur more often. */
const worthwhile = [
  ...kinds,
  'order',
  'order-line',
  'trace-line',
  'contract',
  'catalogue',
  'catalogue-item'
] as const

const rests = ['', '/details', '/details?form=flat', `?expand=${expansion}`, `/details?expand=${expansion}`]

/** Reads one resource by id, for an order also the details. */
async function readResource(run: Run): Promise<void> {
  const { random, facts } = run
  const kind = random.one(worthwhile)
  const who = randomPrincipal(random, facts, likely(kind, 'read'))
  const rest = kind === 'order' ? random.one(rests) : ''
  const method = random.chance(0.1) ? 'HEAD' : 'GET'
  const wish = random.one(['nothing', 'the target'] as const)
  const target = chooseTarget({ random, facts, who, wish }, kind, 'read')
  const wanted: ScopedRequest = {
    who,
    kind,
    verb: 'read',
    method,
    path: `${apiOf(kind)}/${kind}`,
    target,
    rest
  }
  const response = await sendChecked(run, wanted)
  const inside =
    method === 'GET' && response.status === 200
      ? [
          ...(rest.startsWith('/details') ? faultsOfDetails(facts, response, target.id) : []),
          ...(rest.includes('expand') ? faultsOfExpanded(facts, who, [target.id], response) : []),
          ...faultsOfDevices(facts, who, linesIn(kind, response.body), run.saw)
        ]
      : []
  assertNoViolations(run, [...readViolations(wanted, response), ...inside], wanted, response)
  tell(run, wanted, response)
}

/** Reads the items of other sellers of which a seller delivered devices: each resolves. */
async function followItems(run: Run): Promise<void> {
  const { facts } = run
  for (const who of allPrincipals(facts).filter(({ userType }) => userType === 'Provider'))
    for (const row of facts.of('catalogue-item')) {
      if (mayAct(facts, who, 'read', row) || !mayRead(facts, who, row)) continue
      const target = new NamedResource('catalogue-item', row.id, 'usable', 'catalogue-item')
      const path = `${apiOf(row.kind)}/${row.kind}`
      const wanted: ScopedRequest = { who, kind: row.kind, verb: 'read', method: 'GET', path, target }
      const response = await sendChecked(run, wanted)
      assertNoViolations(run, readViolations(wanted, response), wanted, response)
      run.saw('Provider reads the catalogue-item of a device of another seller')
    }
}

/** The order lines of a response. */
const linesIn = (kind: Kind, body: ApiResponse['body']) =>
  kind === 'order-line' ? [body] : (body.orderLines ?? [])

function faultsOfDetails(facts: Facts, { body }: ApiResponse, order: string): string[] {
  const parts = (kind: Kind) =>
    facts
      .of(kind)
      .filter((row) => row.order_id === order && row.deleted_at == null)
      .sort((one, other) => compareEntries(kind, one, other))
      .map(({ id }) => id)
  return violations([
    [!areEqual(idsOf(body.orderLines), parts('order-line')), 'it has other lines'],
    [!areEqual(idsOf(body.traceLines), parts('trace-line')), 'it has another trace']
  ])
}

const wishes = ['nothing', 'nothing', 'the target', 'names in the body', 'names in the body'] as const

/** Attempts one write and checks its effect. */
async function writeResource(run: Run): Promise<void> {
  const { random, facts } = run
  const { kind, verb, make } = random.one(writeGenerators)
  const who = randomPrincipal(random, facts, likely(kind, verb))
  const wish = random.one(verb === 'delete' ? wishes.slice(1, 3) : wishes)
  const isStale = verb !== 'create' && random.chance(0.05)
  const wanted: ScopedRequest = { who, kind, verb, isStale, ...make({ random, facts, who, wish }) }
  const { response, isChanged } = await send(run, wanted)
  tell({ ...run, facts }, wanted, response)
  const widens = ['party', 'contract', 'catalogue'].includes(kind) && verb === 'update' && isChanged
  if (widens)
    for (const each of ['contract', 'catalogue', 'order'] as const)
      await checkList(run, randomPrincipal(random, run.facts, likely(each, 'read')), each, {})
}

/** Sends a write and checks its response and its effect. */
async function send(run: Run, wanted: ScopedRequest): Promise<{ response: ApiResponse; isChanged: boolean }> {
  const { facts, app } = run
  const response = await sendChecked(run, wanted)
  const faults = writeViolations(wanted, response)
  const isChanged = !(await isUnchanged(run))
  if (isChanged) {
    if (response.status >= 300) faults.push('it was refused and changed rows')
    const now = await readFacts(app.sql)
    faults.push(...changeViolations(wanted, facts, now))
    assertNoViolations(run, faults, wanted, response)
    run.facts = now
    run.changes++
  }
  assertNoViolations(run, faults, wanted, response)
  return { response, isChanged }
}

/**
 * Attempts to set each reference of the caller's resources, in each status, to a resource of
 * another organization. All are rejected.
 */
async function nameStrangers(run: Run): Promise<void> {
  for (const member of memberNames)
    for (const userType of userTypes)
      for (const { outcome, wanted } of writesNamingStrangers(run, userType, member)) {
        await send(run, wanted)
        run.saw(outcome)
      }
}

function tell({ facts, saw }: Run, wanted: ScopedRequest, response: ApiResponse): void {
  const { who, kind, verb } = wanted
  const outcome = outcomeOf(facts, wanted, response)
  const does = outcome === 'forbidden' && verb !== 'read' ? 'write' : verb
  saw(
    outcome === 'unpermitted'
      ? `${who.userType}: unpermitted`
      : `${who.userType} ${does}s ${kind}: ${outcome}`
  )
}

function outcomeOf(facts: Facts, wanted: ScopedRequest, { status }: ApiResponse): string {
  const { who, kind, verb } = wanted
  if (!isAllowed(wanted)) return accessRules[kind][verb]?.[who.userType] ? 'unpermitted' : 'forbidden'
  const bad = referencesOf(wanted).filter(({ state }) => state !== 'usable')
  const target = bad.find(({ field }) => field === kind)
  const row = target?.state === 'hidden' ? facts.find(target.id) : undefined
  if (target) return row ? whyHidden(facts, who, row) : 'unknown'
  const [first] = bad
  if (first) return first.state === 'hidden' ? first.field : 'unknown'
  if (wanted.refused) return 'organization'
  return status < 300 ? 'done' : 'refused'
}

/** Reads a list with random filters. */
async function readList(run: Run): Promise<void> {
  const { random, facts } = run
  const kind = random.one(worthwhile)
  const who = randomPrincipal(random, facts, likely(kind, 'read'))
  const wish = random.one(['nothing', 'the target'] as const)
  await checkList(run, who, kind, randomFilters({ random, facts, who, wish }, kind))
}

/** Uses a cursor that was issued earlier to any caller. */
async function sendCursor(run: Run): Promise<void> {
  const { random, facts, cursors } = run
  if (cursors.length === 0) return
  const cursor = random.one(cursors)
  const who = random.chance(0.3) ? cursor.owner : randomPrincipal(random, facts, likely(cursor.kind, 'read'))
  await useCursor(run, who, cursor)
}

/** Reads every list, unfiltered and by every nameable resource, once per user type. */
async function readAllLists(run: Run): Promise<void> {
  const { random, facts } = run
  for (const userType of userTypes)
    for (const kind of kinds) {
      const who = random.one(allPrincipals(facts).filter((each) => each.userType === userType))
      const naming = { random, facts, who, wish: random.one(['nothing', 'the target'] as const) }
      for (const filters of [requiredFilters(naming, kind), ...referenceFilters(naming, kind)])
        await checkList(run, who, kind, filters)
    }
}

/**
 * Random organizations with their resources, and random callers that read, list and write: every
 * caller sees, changes and learns exactly what the rules grant. The rules are in
 * fixtures/scope/rules.ts.
 */

const STEPS_OF_WORLD = 750
const USUAL_WORLDS = 4

/** Repetition sets the relative frequency. */
const steps = [
  ...[readResource, readResource, readResource, readResource, readResource],
  ...[readList, readList, readList, sendCursor, readEvents, readEvents],
  ...[writeResource, writeResource, writeResource, writeResource, writeResource]
]

t.test('the service follows the access rules in random worlds', async (t) => {
  const app = await testApp(t, { PUBLIC_URL: origin })
  await runWorlds(t, USUAL_WORLDS, outcomes, async (random, saw) => {
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
