import t from 'tap'
import type { OrderChange } from '../../src/order/change/change-order.js'
import { transitionLine, transitionOrder } from '../../src/order/change/transition.js'
import type { Problem } from '../../src/platform/errors/problem.js'
import { explore, moveName, nameOf } from '../fixtures/states/graph.js'
import { type Move, movesFrom, outcomeOf, type State } from '../fixtures/states/rules.js'

const TRACES_BEFORE = 7

/** A change of an order in memory: moves are decided without a database. */
function changeOf({ order: status, lines }: Pick<State, 'order' | 'lines'>, by: Move['by']): OrderChange {
  const order = { id: 'order', status, traceCount: TRACES_BEFORE }
  const party = { name: 'Party', organization: 'urn:org' }
  return {
    call: { caller: { userType: by === 'buyer' ? 'MonitoringResponsible' : 'Provider' } },
    at: new Date(0),
    snapshot: { order, buyer: party, seller: party },
    order,
    lines: lines.map((each, at) => ({ id: `line-${at}`, status: each })),
    traces: [] as object[]
  } as OrderChange
}

function make(change: OrderChange, move: Move): void {
  if (move.what === 'move order') transitionOrder(change, move.to)
  const line = move.what === 'move line' && change.lines[move.at]
  if (line) transitionLine(change, line, move.to)
}

/** The order and its new trace lines after a move, or the refusal. */
function decisionOf(state: State, move: Move) {
  const change = changeOf(state, move.by)
  try {
    make(change, move)
  } catch (error) {
    const { status, code } = error as Problem
    return `${status} ${code}`
  }
  const { order, lines, traces } = change
  return {
    order: order.status,
    lines: lines.map((line) => line.status),
    traces: traces.map(({ seq, orderLineId, supplementaryText }) => [seq, orderLineId, supplementaryText])
  }
}

function predictionOf(state: State, move: Move) {
  const outcome = outcomeOf(state, move)
  if ('refusal' in outcome) return outcome.refusal
  return {
    order: outcome.next.order,
    lines: outcome.next.lines,
    traces: outcome.trace.map(({ of, from, to }, at) => [
      TRACES_BEFORE + 1 + at,
      of === 'order' ? null : `line-${of}`,
      `Old value: ${from}. New value: ${to}.`
    ])
  }
}

t.test('orders with up to four lines make exactly the moves of the model', async (t) => {
  const states = [...explore(4).states.values()].filter((state) => !state.deleted)
  for (const state of states) {
    const moves = movesFrom(state).filter(
      ({ what, by }) => /^move/.test(what) && (by === 'buyer' || state.submitted)
    )
    t.same(
      moves.map((move) => [moveName(state, move), decisionOf(state, move)]),
      moves.map((move) => [moveName(state, move), predictionOf(state, move)]),
      nameOf(state)
    )
  }
})

t.test('a refusal names the moves that are possible', async (t) => {
  const cases: (Pick<State, 'order' | 'lines'> & { allowed: string })[] = [
    { order: 'DRAFT', lines: [], allowed: 'CANCELLED' },
    { order: 'DRAFT', lines: ['UNFULFILLED'], allowed: 'SUBMITTED, CANCELLED' },
    { order: 'SUBMITTED', lines: ['SUBMITTED'], allowed: 'ACCEPTED, REJECTED, FULFILLED, CANCELLED' },
    { order: 'SUBMITTED', lines: ['SUBMITTED', 'FULFILLED'], allowed: 'ACCEPTED, FULFILLED' },
    { order: 'ACCEPTED', lines: ['SUBMITTED', 'FULFILLED'], allowed: 'FULFILLED' },
    { order: 'ACCEPTED', lines: ['UNFULFILLED', 'SUBMITTED'], allowed: 'CANCELLED' },
    { order: 'ACCEPTED', lines: ['UNFULFILLED', 'FULFILLED'], allowed: 'none' },
    { order: 'CANCELLED', lines: ['CANCELLED'], allowed: 'none' }
  ]
  for (const { allowed, ...state } of cases) {
    const message = `Order status cannot change from ${state.order} to ${state.order}. Allowed: ${allowed}.`
    t.throws(() => transitionOrder(changeOf(state, 'buyer'), state.order), { status: 409, message })
  }
})

t.test('a refusal to cancel a delivered order names what the buyer can do instead', async (t) => {
  const change = changeOf({ order: 'ACCEPTED', lines: ['UNFULFILLED', 'FULFILLED'] }, 'buyer')
  t.throws(() => transitionOrder(change, 'CANCELLED'), { message: /can cancel the open lines instead/ })
  make(change, { what: 'move line', at: 0, to: 'CANCELLED', by: 'buyer' })
  t.equal(change.order.status, 'FULFILLED')
})
