import t from 'tap'
import {
  type Attempt,
  added,
  type Change,
  checkHistory,
  created,
  deleted,
  edited,
  type Finding,
  type Stored
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
/** Attempts, each with a step of its own. */
const sent = (...all: [changes: Change[], outcome?: Outcome][]): Attempt[] =>
  all.map(([changes, outcome = 'acknowledged'], step) => ({ order: 'o', step, changes, outcome }))
const steps = [[created], add, note, priority, submit, giveBack, again, accept, fulfil]
const all = sent(...steps.map((changes): [Change[]] => [changes]))

/** The trace has no deletions, notes and new lines. */
const isTraced = ({ of, from, to }: Change) =>
  to !== 'DELETED' && of !== 'note' && (from !== 'NONE' || ['order', 'priority'].includes(of))
/** What a database has stored that made these changes. */
const stored = (...changes: Change[]): Stored => {
  const trace = changes.filter(isTraced).map((change, index) => ({ ...change, seq: index + 1 }))
  const states = [...new Map(changes.map((change) => [change.of, change])).values()]
  return { ledger: changes, trace, states, traceCount: trace.length }
}
const whole = steps.flat()
const without = (index: number) => whole.toSpliced(index, 1)

/** Where and of what kind the findings are. */
const check = (attempts: Attempt[], o: Stored) => [
  ...new Set(checkHistory(attempts, { o }).map((each) => `${each.in} ${each.kind}`))
]
const found = (kind: Finding['kind']) => [`ledger ${kind}`, `trace ${kind}`]

t.test('a history of exactly what was acknowledged is right', async (t) => {
  t.same(checkHistory([], {}), [])
  t.same(check(all, stored(...whole)), [])
  const other = all.map((attempt) => ({ ...attempt, order: 'other' }))
  t.same(checkHistory([...all, ...other], { o: stored(...whole), other: stored(...whole) }), [])
  t.same(check(sent([[created]], [[deleted]]), stored(created, deleted)), [])
})

t.test('a refused change is not stored, an unknown one is there at most once', async (t) => {
  const start: [Change[], Outcome?][] = [[[created]], [add], [submit, 'refused'], [submit]]
  const before = [created, ...add, ...submit]
  t.same(check(sent(...start), stored(...before)), [])
  const unknown: typeof start = [...start, [accept, 'unknown']]
  t.same(check(sent(...unknown), stored(...before)), [])
  t.same(check(sent(...unknown), stored(...before, ...accept)), [])
  t.same(check(sent(...unknown, [fulfil]), stored(...before, ...fulfil)), [])
  t.same(check(sent(...unknown, [accept, 'refused']), stored(...before, ...accept)), [])
})

t.test('attempts of one step are stored in any order', async (t) => {
  const start = sent([[created]], [add])
  const step = [note, priority].map((changes) => ({ ...(all[2] as Attempt), changes }))
  t.same(check([...start, ...step], stored(created, ...add, ...note, ...priority)), [])
  t.same(check([...start, ...step], stored(created, ...add, ...priority, ...note)), [])
  t.same(check([...start, ...step], stored(created, ...note, ...add, ...priority)), ['ledger reordered'])
  const repeats = Array.from({ length: 30 }, () => ({ ...(step[0] as Attempt), outcome: 'unknown' as const }))
  t.same(check([...start, ...repeats, ...step], stored(created, ...add, ...note, ...priority)), [])
})

t.test('a lost change is found, wherever it was', async (t) => {
  for (const [index, change] of whole.entries())
    t.ok(check(all, stored(...without(index))).includes('ledger lost'), JSON.stringify(change))
  const [lost] = checkHistory(all, { o: stored(...whole.slice(0, -1)) })
  t.same(lost, { order: 'o', in: 'ledger', kind: 'lost', at: 'line-1 SUBMITTED → FULFILLED' })
  t.same(check(sent([[created]]), stored()), found('lost'), 'an order')
  t.same(checkHistory(sent([[created]]), {}).length, 2, 'an order without a row')
  t.same(check(sent([[created]], [[deleted]]), stored(created)), ['ledger lost'], 'a deletion')
})

t.test('a doubled change is found', async (t) => {
  const twice = [...whole.slice(0, 8), ...giveBack, ...again, ...whole.slice(8)]
  t.same(check(all, stored(...twice)), found('doubled'))
  const impossible = ['ledger impossible', 'ledger doubled', 'trace impossible', 'trace doubled']
  t.same(check(all, stored(...whole, ...fulfil)), impossible)
  t.same(check(sent([[created]]), stored(created, created)), impossible, 'an order')
  const unknown = sent([[created]], [add], [submit], [giveBack, 'unknown'])
  t.same(check(unknown, stored(created, ...add, ...submit, ...giveBack, ...giveBack)), impossible)
  const notes = check(sent([[created]], [note, 'unknown']), stored(created, ...note, ...note))
  t.same(notes, ['ledger impossible', 'ledger doubled'])
})

t.test('a phantom is found: a change that was refused, or that nobody requested', async (t) => {
  const before = [created, ...add, ...submit]
  const start: [Change[], Outcome?][] = [[[created]], [add], [submit]]
  t.same(check(sent(...start, [accept, 'refused']), stored(...before, ...accept)), found('phantom'))
  t.same(check(sent(...start), stored(...before, ...accept)), found('phantom'))
  t.same(check([], stored(created)), found('phantom'), 'an order')
  t.same(
    check(sent([[created]], [add]), stored(created, ...add, added('line-2'))),
    ['ledger phantom'],
    'a line'
  )
  t.same(check(sent([[created]], [[deleted], 'refused']), stored(created, deleted)), ['ledger phantom'])
})

t.test('changes in another order than that of the client are found', async (t) => {
  const moved = [...whole.slice(0, 6), ...accept, ...giveBack, ...again, ...fulfil]
  t.same(check(all, stored(...moved)), found('reordered'))
  const late = sent([[created]], [add], [submit], [accept, 'unknown'], [giveBack])
  t.same(check(late, stored(created, ...add, ...submit, ...giveBack, ...accept)), found('reordered'))
})

t.test('an unknown request that took effect in part is found', async (t) => {
  const half = sent([[created]], [add], [submit, 'unknown'])
  t.same(check(half, stored(created, ...add, ...submit.slice(0, 1))), found('reordered'))
})

t.test('a gap and a repeated position in the trace are found', async (t) => {
  const right = stored(...whole)
  const withSeq = (seqOf: (seq: number) => number) => ({
    ...right,
    trace: right.trace.map((entry) => ({ ...entry, seq: seqOf(entry.seq) }))
  })
  t.same(
    check(
      all,
      withSeq((seq) => (seq > 3 ? seq + 1 : seq))
    ),
    ['trace gap']
  )
  t.same(
    check(
      all,
      withSeq((seq) => Math.max(seq, 2))
    ),
    ['trace gap']
  )
  t.same(check(all, { ...right, traceCount: right.traceCount + 1 }), ['trace gap'])
})

t.test('a change from a state that was not reached is found', async (t) => {
  const skipped = [order('ACCEPTED', 'FULFILLED')]
  const attempts = sent([[created]], [add], [submit], [skipped])
  t.same(check(attempts, stored(created, ...add, ...submit, ...skipped)), found('impossible'))
})

t.test('a difference between ledger, trace and rows is found', async (t) => {
  const attempts = sent([[created]], [add], [submit], [accept, 'unknown'])
  const before = stored(created, ...add, ...submit)
  const after = stored(created, ...add, ...submit, ...accept)
  t.same(check(attempts, { ...after, ledger: before.ledger }), ['trace different', 'states different'])
  t.same(check(attempts, { ...after, states: before.states }), ['states different'])
  const { trace, traceCount } = before
  t.same(check(attempts, { ...after, trace, traceCount }), ['trace different'])
  const twoNotes = [...after.states, ...note, ...note]
  t.same(check(attempts, { ...after, states: twoNotes }), ['states different'])
})
