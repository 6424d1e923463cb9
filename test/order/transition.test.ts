import t from 'tap'
import type { OrderChange } from '../../src/order/change/change-order.js'
import { transitionLine, transitionOrder } from '../../src/order/change/transition.js'
import { type OrderStatus, orderTransitions } from '../../src/order/model/order.state.js'
import { type LineStatus, lineTransitions } from '../../src/order/model/order-line.state.js'
import type { LineRow, OrderRow } from '../../src/order/store/tables.js'
import { AuditContext } from '../../src/platform/auth/audit-context.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import type { Problem } from '../../src/platform/errors/problem.js'
import { Deadline } from '../../src/platform/server/deadline.js'

const nurse = 'MonitoringResponsible'
const provider = 'Provider'

/** An order in memory: transitions are decided without a database. */
function orderOf(status: OrderStatus, lineStatuses: LineStatus[], userType: UserType): OrderChange {
  const order = { id: 'order', status, traceCount: 7, changedAt: new Date(0) } as OrderRow
  const lines = lineStatuses.map(
    (each, at) => ({ id: `line-${at}`, orderId: 'order', status: each }) as LineRow
  )
  const party = { name: 'Party', organization: 'urn:org' }
  return {
    actor: {
      userType,
      userId: undefined,
      name: undefined,
      organization: 'urn:org',
      permissions: new Set(),
      scope: 'any',
      token: '',
      auditContext: new AuditContext({ requestId: '', operation: '', interaction: 'patch' }, {} as never),
      deadline: new Deadline(1000)
    },
    at: new Date(0),
    until: new Date(1000),
    snapshot: { order, lines, buyer: party, seller: party, readAt: new Date(0) },
    order,
    lines,
    traces: [],
    items: []
  }
}

/** The result of a transition: the statuses after it, or the problem code. */
function outcome(change: OrderChange, act: () => void): string {
  try {
    act()
    return [change.order.status, ...change.lines.map((line) => line.status)].join(' ')
  } catch (error) {
    return (error as Problem).code
  }
}

t.test('an order makes only the transitions of the table', async (t) => {
  const statuses = Object.keys(orderTransitions) as OrderStatus[]
  const legal: Record<string, UserType> = {
    'DRAFT SUBMITTED': nurse,
    'DRAFT CANCELLED': nurse,
    'SUBMITTED ACCEPTED': provider,
    'SUBMITTED REJECTED': provider,
    'SUBMITTED FULFILLED': provider,
    'SUBMITTED CANCELLED': nurse,
    'ACCEPTED FULFILLED': provider,
    'ACCEPTED CANCELLED': nurse
  }
  t.equal(statuses.length, 6)
  for (const from of statuses)
    for (const to of statuses)
      for (const userType of [nurse, provider] as const) {
        const change = orderOf(from, ['SUBMITTED'], userType)
        const mover = legal[`${from} ${to}`]
        const expected =
          mover === undefined ? 'illegal-transition' : mover === userType ? to : 'not-your-move'
        t.equal(
          outcome(change, () => transitionOrder(change, to)).split(' ')[0],
          expected,
          `${userType}: ${from} to ${to}`
        )
      }
})

t.test('a line makes only the transitions of the table, in running orders', async (t) => {
  const statuses = Object.keys(lineTransitions) as LineStatus[]
  const legal: Record<string, UserType> = {
    'UNFULFILLED SUBMITTED': nurse,
    'UNFULFILLED CANCELLED': nurse,
    'SUBMITTED FULFILLED': provider,
    'SUBMITTED UNFULFILLED': provider,
    'SUBMITTED CANCELLED': nurse
  }
  t.equal(statuses.length, 4)
  for (const order of Object.keys(orderTransitions) as OrderStatus[])
    for (const from of statuses)
      for (const to of statuses)
        for (const userType of [nurse, provider] as const) {
          const change = orderOf(order, [from, 'SUBMITTED'], userType)
          const [line] = change.lines
          const mover = legal[`${from} ${to}`]
          const running =
            order === 'SUBMITTED' || order === 'ACCEPTED' || (order === 'DRAFT' && to === 'CANCELLED')
          const expected =
            mover === undefined || !running ? 'illegal-transition' : mover === userType ? to : 'not-your-move'
          const got = outcome(change, () => transitionLine(change, line as LineRow, to))
          t.equal(got.split(' ')[1] ?? got, expected, `${userType}: ${from} to ${to} in ${order}`)
        }
})

t.test('lines follow their order', async (t) => {
  const cases: [from: OrderStatus, lines: LineStatus[], to: OrderStatus, by: UserType, outcome: string][] = [
    ['DRAFT', [], 'SUBMITTED', nurse, 'no-open-lines'],
    ['DRAFT', ['CANCELLED'], 'SUBMITTED', nurse, 'no-open-lines'],
    [
      'DRAFT',
      ['UNFULFILLED', 'SUBMITTED', 'CANCELLED'],
      'SUBMITTED',
      nurse,
      'SUBMITTED SUBMITTED SUBMITTED CANCELLED'
    ],
    ['DRAFT', ['UNFULFILLED', 'SUBMITTED'], 'CANCELLED', nurse, 'CANCELLED CANCELLED CANCELLED'],
    [
      'SUBMITTED',
      ['SUBMITTED', 'FULFILLED', 'UNFULFILLED'],
      'ACCEPTED',
      provider,
      'ACCEPTED SUBMITTED FULFILLED UNFULFILLED'
    ],
    [
      'SUBMITTED',
      ['SUBMITTED', 'CANCELLED', 'UNFULFILLED'],
      'REJECTED',
      provider,
      'REJECTED CANCELLED CANCELLED CANCELLED'
    ],
    [
      'ACCEPTED',
      ['SUBMITTED', 'CANCELLED', 'UNFULFILLED'],
      'CANCELLED',
      nurse,
      'CANCELLED CANCELLED CANCELLED CANCELLED'
    ],
    ['SUBMITTED', ['SUBMITTED', 'FULFILLED'], 'REJECTED', provider, 'delivered-lines'],
    ['SUBMITTED', ['SUBMITTED', 'FULFILLED'], 'CANCELLED', nurse, 'delivered-lines'],
    ['ACCEPTED', ['UNFULFILLED', 'FULFILLED'], 'CANCELLED', nurse, 'delivered-lines'],
    [
      'ACCEPTED',
      ['SUBMITTED', 'FULFILLED', 'CANCELLED'],
      'FULFILLED',
      provider,
      'FULFILLED FULFILLED FULFILLED CANCELLED'
    ],
    ['ACCEPTED', ['SUBMITTED', 'UNFULFILLED'], 'FULFILLED', provider, 'unfulfilled-lines']
  ]
  for (const [from, lines, to, by, expected] of cases) {
    const change = orderOf(from, lines, by)
    t.equal(
      outcome(change, () => transitionOrder(change, to)),
      expected,
      `${from} [${lines}] to ${to}`
    )
  }
})

t.test('an order follows its last open line', async (t) => {
  const cases: [order: OrderStatus, lines: LineStatus[], to: LineStatus, by: UserType, outcome: string][] = [
    ['SUBMITTED', ['SUBMITTED', 'SUBMITTED'], 'FULFILLED', provider, 'SUBMITTED FULFILLED SUBMITTED'],
    ['SUBMITTED', ['SUBMITTED', 'UNFULFILLED'], 'FULFILLED', provider, 'SUBMITTED FULFILLED UNFULFILLED'],
    ['SUBMITTED', ['SUBMITTED', 'CANCELLED'], 'FULFILLED', provider, 'FULFILLED FULFILLED CANCELLED'],
    ['ACCEPTED', ['SUBMITTED', 'FULFILLED'], 'CANCELLED', nurse, 'FULFILLED CANCELLED FULFILLED'],
    ['ACCEPTED', ['UNFULFILLED', 'CANCELLED'], 'CANCELLED', nurse, 'CANCELLED CANCELLED CANCELLED'],
    ['ACCEPTED', ['SUBMITTED'], 'UNFULFILLED', provider, 'ACCEPTED UNFULFILLED'],
    ['DRAFT', ['UNFULFILLED'], 'CANCELLED', nurse, 'DRAFT CANCELLED']
  ]
  for (const [order, lines, to, by, expected] of cases) {
    const change = orderOf(order, lines, by)
    t.equal(
      outcome(change, () => transitionLine(change, change.lines[0] as LineRow, to)),
      expected,
      `${order} [${lines}], first to ${to}`
    )
  }
})

t.test('every status change has a trace line with the next number', async (t) => {
  const change = orderOf('DRAFT', ['UNFULFILLED', 'SUBMITTED', 'UNFULFILLED'], nurse)
  transitionOrder(change, 'SUBMITTED')
  t.same(
    change.traces.map((trace) => [
      trace.seq,
      trace.orderLineId,
      trace.oldStatus,
      trace.newStatus,
      trace.supplementaryText
    ]),
    [
      [8, null, 'DRAFT', 'SUBMITTED', 'Old value: DRAFT. New value: SUBMITTED.'],
      [9, 'line-0', 'UNFULFILLED', 'SUBMITTED', 'Old value: UNFULFILLED. New value: SUBMITTED.'],
      [10, 'line-2', 'UNFULFILLED', 'SUBMITTED', 'Old value: UNFULFILLED. New value: SUBMITTED.']
    ]
  )
})

t.test('a refusal names the possible transitions', async (t) => {
  const open: [from: OrderStatus, lines: LineStatus[], open: string][] = [
    ['DRAFT', [], 'CANCELLED'],
    ['DRAFT', ['UNFULFILLED'], 'SUBMITTED, CANCELLED'],
    ['SUBMITTED', ['SUBMITTED'], 'ACCEPTED, REJECTED, FULFILLED, CANCELLED'],
    ['SUBMITTED', ['SUBMITTED', 'FULFILLED'], 'ACCEPTED, FULFILLED'],
    ['ACCEPTED', ['SUBMITTED', 'FULFILLED'], 'FULFILLED'],
    ['ACCEPTED', ['UNFULFILLED', 'SUBMITTED'], 'CANCELLED'],
    ['ACCEPTED', ['UNFULFILLED', 'FULFILLED'], 'none'],
    ['CANCELLED', ['CANCELLED'], 'none']
  ]
  for (const [from, lines, names] of open) {
    const change = orderOf(from, lines, nurse)
    const message = `Order status cannot change from ${from} to ${from}. Allowed: ${names}.`
    t.throws(() => transitionOrder(change, from), { status: 409, message }, `${from} [${lines}]`)
  }
})

t.test('a refusal to cancel a delivered order says how to end it', async (t) => {
  const change = orderOf('ACCEPTED', ['UNFULFILLED', 'FULFILLED', 'SUBMITTED'], nurse)
  t.throws(() => transitionOrder(change, 'CANCELLED'), { message: /cancel the open lines/ })
  const cancel = (line: LineRow | undefined) => transitionLine(change, line as LineRow, 'CANCELLED')
  cancel(change.lines[0])
  t.equal(change.order.status, 'ACCEPTED')
  cancel(change.lines[2])
  t.equal(change.order.status, 'FULFILLED')
})
