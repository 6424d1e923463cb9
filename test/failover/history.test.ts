import t from 'tap'
import {
  type Attempt,
  checkHistory,
  creation,
  type Move,
  type TraceEntry
} from '../fixtures/failover/history.js'

const line = 'line-1'
const submit: Move[] = [
  { from: 'DRAFT', to: 'SUBMITTED' },
  { line, from: 'UNFULFILLED', to: 'SUBMITTED' }
]
const giveBack: Move[] = [{ line, from: 'SUBMITTED', to: 'UNFULFILLED' }]
const again: Move[] = [{ line, from: 'UNFULFILLED', to: 'SUBMITTED' }]
const accept: Move[] = [{ from: 'SUBMITTED', to: 'ACCEPTED' }]
const fulfil: Move[] = [{ line, from: 'SUBMITTED', to: 'FULFILLED' }]

const attempt = (moves: Move[], outcome: Attempt['outcome'] = 'acknowledged', order = 'o'): Attempt => ({
  ...{ order, moves, outcome }
})
const created = attempt([creation])
const all = [created, ...[submit, giveBack, again, accept, fulfil].map((moves) => attempt(moves))]
const trace = (...moves: Move[]): TraceEntry[] =>
  moves.map((move, index) => ({ ...move, order: 'o', seq: index + 1 }))
const whole = [creation, ...submit, ...giveBack, ...again, ...accept, ...fulfil]
const kinds = (attempts: Attempt[], entries: TraceEntry[]) => [
  ...new Set(checkHistory(attempts, entries).map(({ kind }) => kind))
]
const without = (index: number) => whole.filter((_, at) => at !== index)

t.test('a trace of exactly what was acknowledged is right', async (t) => {
  t.same(checkHistory([], []), [])
  t.same(checkHistory(all, trace(...whole).toReversed()), [])
  const other = attempt([creation], 'acknowledged', 'other')
  t.same(checkHistory([...all, other], [...trace(...whole), { ...creation, order: 'other', seq: 1 }]), [])
})

t.test('a refused move is not in the trace, an unknown one is there at most once', async (t) => {
  const start = [created, attempt(submit, 'refused'), attempt(submit)]
  t.same(checkHistory(start, trace(creation, ...submit)), [])
  const unknown = [...start, attempt(accept, 'unknown')]
  t.same(checkHistory(unknown, trace(creation, ...submit)), [])
  t.same(checkHistory(unknown, trace(creation, ...submit, ...accept)), [])
  t.same(checkHistory([...unknown, attempt(fulfil)], trace(creation, ...submit, ...fulfil)), [])
  t.same(checkHistory([...unknown, attempt(accept, 'refused')], trace(creation, ...submit, ...accept)), [])
})

t.test('a lost move is found, wherever it was', async (t) => {
  for (let index = 0; index < whole.length; index++)
    t.ok(
      checkHistory(all, trace(...without(index))).some(({ kind }) => kind === 'lost'),
      `${index}`
    )
  t.same(checkHistory(all, trace(...whole.slice(0, -1))), [
    { order: 'o', kind: 'lost', at: 'line-1 SUBMITTED → FULFILLED' }
  ])
  t.same(kinds([created], []), ['lost'], 'an order')
})

t.test('a doubled move is found', async (t) => {
  t.same(kinds(all, trace(...whole, ...fulfil)), ['impossible', 'doubled'])
  t.same(kinds(all, trace(...whole.slice(0, 5), ...giveBack, ...again, ...whole.slice(5))), ['doubled'])
  const unknown = [created, attempt(submit), attempt(giveBack, 'unknown')]
  t.ok(kinds(unknown, trace(creation, ...submit, ...giveBack, ...giveBack)).includes('doubled'))
})

t.test('a phantom is found: a move that was refused, or that nobody asked for', async (t) => {
  t.same(kinds([...all.slice(0, 2), attempt(accept, 'refused')], trace(creation, ...submit, ...accept)), [
    'phantom'
  ])
  t.same(kinds(all.slice(0, 2), trace(creation, ...submit, ...accept)), ['phantom'])
  t.same(kinds([], trace(creation)), ['phantom'], 'an order')
})

t.test('moves in another order than that of the client are found', async (t) => {
  t.same(kinds(all, trace(creation, ...submit, ...accept, ...giveBack, ...again, ...fulfil)), ['reordered'])
  const late = [created, attempt(submit), attempt(accept, 'unknown'), attempt(giveBack)]
  t.same(kinds(late, trace(creation, ...submit, ...giveBack, ...accept)), ['reordered'])
})

t.test('an unknown request that took effect in part is found', async (t) => {
  const half = [created, attempt(submit, 'unknown')]
  t.same(kinds(half, trace(creation, ...submit.slice(0, 1))), ['reordered'])
})

t.test('a gap, a repeated position and a move from a status nobody reached are found', async (t) => {
  const entries = trace(...whole)
  t.same(
    kinds(
      all,
      entries.map((entry) => ({ ...entry, seq: entry.seq + (entry.seq > 3 ? 1 : 0) }))
    ),
    ['gap']
  )
  t.ok(
    kinds(
      all,
      entries.map((entry) => ({ ...entry, seq: Math.max(entry.seq, 2) }))
    ).includes('gap')
  )
  const skipped = [created, attempt(submit), attempt([{ from: 'ACCEPTED', to: 'FULFILLED' }])]
  t.same(kinds(skipped, trace(creation, ...submit, { from: 'ACCEPTED', to: 'FULFILLED' })), ['impossible'])
})
