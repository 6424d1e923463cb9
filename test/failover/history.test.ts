import t from 'tap'
import {
  type Attempt,
  added,
  type Change,
  checkHistory,
  created,
  edited,
  type Finding,
  type StoredHistory
} from '../fixtures/history/check.js'

const line = 'line-1'
const order = (from: string, to: string): Change => ({ of: 'order', from, to })
const ofLine = (from: string, to: string): Change => ({ of: line, from, to })
const add = [added(line)]
const submit = [order('DRAFT', 'SUBMITTED'), ofLine('UNFULFILLED', 'SUBMITTED')]
const giveBack = [ofLine('SUBMITTED', 'UNFULFILLED')]
const again = [ofLine('UNFULFILLED', 'SUBMITTED')]
const accept = [order('SUBMITTED', 'ACCEPTED')]
const fulfil = [ofLine('SUBMITTED', 'FULFILLED')]
const note = [edited('note')]
const priority = [edited('priority')]

type Outcome = Attempt['outcome']
/** Attempts, each in a separate step. */
const sent = (...all: [changes: Change[], outcome?: Outcome][]): Attempt[] =>
  all.map(([changes, outcome = 'acknowledged'], step) => ({ order: 'o', step, changes, outcome }))
const steps = [[created], add, note, priority, submit, giveBack, again, accept, fulfil]
const all = sent(...steps.map((changes): [Change[]] => [changes]))

/** The trace has no deletions, notes or new lines. */
const isTraced = ({ of, from, to }: Change) =>
  to !== 'DELETED' && of !== 'note' && (from !== 'NONE' || ['order', 'priority'].includes(of))
/** The stored rows of a database where these changes were made. */
const stored = (...changes: Change[]): StoredHistory => {
  const trace = changes.filter(isTraced).map((change, index) => ({ ...change, seq: index + 1 }))
  const states = [...new Map(changes.map((change) => [change.of, change])).values()]
  return { ledger: changes, trace, states, traceCount: trace.length }
}
const whole = steps.flat()
const without = (index: number) => whole.toSpliced(index, 1)

/** The location and the kind of each finding. */
const check = (attempts: Attempt[], o: StoredHistory) => [
  ...new Set(checkHistory(attempts, { o }).map((each) => `${each.in} ${each.kind}`))
]
const found = (kind: Finding['kind']) => [`ledger ${kind}`, `trace ${kind}`]

t.test('a lost change is found, wherever it was', async (t) => {
  for (const [index, change] of whole.entries())
    t.ok(check(all, stored(...without(index))).includes('ledger lost'), JSON.stringify(change))
  t.same(checkHistory(sent([[created]]), {}).length, 2, 'an order without a row')
})

const began = [created, ...add, ...submit]
const begun: [changes: Change[], outcome?: Outcome][] = [[[created]], [add], [submit]]
const impossible = ['ledger impossible', 'ledger doubled', 'trace impossible', 'trace doubled']
const right = stored(...began)

const faults: Record<string, { sent: Attempt[]; stored: StoredHistory; findings: string[] }> = {
  'a doubled change': {
    sent: all,
    stored: stored(...whole.slice(0, 8), ...giveBack, ...again, ...whole.slice(8)),
    findings: found('doubled')
  },
  'an unknown change twice': {
    sent: sent(...begun, [giveBack, 'unknown']),
    stored: stored(...began, ...giveBack, ...giveBack),
    findings: impossible
  },
  'a refused change': {
    sent: sent(...begun, [accept, 'refused']),
    stored: stored(...began, ...accept),
    findings: found('phantom')
  },
  'a change that nobody requested': {
    sent: sent(...begun),
    stored: stored(...began, ...accept),
    findings: found('phantom')
  },
  'an order that nobody requested': { sent: [], stored: stored(created), findings: found('phantom') },
  'changes in another order than that of the client': {
    sent: all,
    stored: stored(...whole.slice(0, 6), ...accept, ...giveBack, ...again, ...fulfil),
    findings: found('reordered')
  },
  'an unknown request that took effect late': {
    sent: sent(...begun, [accept, 'unknown'], [giveBack]),
    stored: stored(...began, ...giveBack, ...accept),
    findings: found('reordered')
  },
  'an unknown request that took effect in part': {
    sent: sent([[created]], [add], [submit, 'unknown']),
    stored: stored(created, ...add, ...submit.slice(0, 1)),
    findings: found('reordered')
  },
  'a change from a state that was not reached': {
    sent: sent(...begun, [[order('ACCEPTED', 'FULFILLED')]]),
    stored: stored(...began, order('ACCEPTED', 'FULFILLED')),
    findings: found('impossible')
  },
  'a gap in the trace': {
    sent: sent(...begun),
    stored: { ...right, trace: right.trace.map((each) => ({ ...each, seq: each.seq + 1 })) },
    findings: ['trace gap']
  },
  'another number of entries': {
    sent: sent(...begun),
    stored: { ...right, traceCount: right.traceCount + 1 },
    findings: ['trace gap']
  },
  'a trace without a change': {
    sent: sent(...begun, [accept, 'unknown']),
    stored: { ...stored(...began, ...accept), trace: right.trace, traceCount: right.traceCount },
    findings: ['trace different']
  },
  'rows without a change': {
    sent: sent(...begun, [accept, 'unknown']),
    stored: { ...stored(...began, ...accept), states: right.states },
    findings: ['states different']
  }
}
for (const [what, { sent, stored, findings }] of Object.entries(faults))
  t.test(`${what} is found`, async (t) => t.same(check(sent, stored), findings))
