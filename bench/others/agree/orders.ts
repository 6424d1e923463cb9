import { type Make, orderApi, pathOf, patient } from './caller.js'
import type { Trade } from './trade.js'

/** Moves an order or a line, as a JSON Patch. */
export const moveTo = (code: string) => [{ op: 'replace', path: '/status/code', value: code }]

/** Makes orders for those items: drafts, one with a long history, and a number of submitted ones. */
export function orderMaker(make: Make, { buyer, seller }: Trade, items: readonly string[]) {
  const draft = (more: object = {}) =>
    make('nurse', 'POST', `${orderApi}/order`, {
      ...{ buyer, seller, receiver: { name: 'Rasmus Receiver', patient: patient('p5') } },
      ...more
    })
  const addLine = (order: string, at: number) =>
    make('nurse', 'POST', `${orderApi}/order-line`, { order, item: items[at], action: 'DELIVER' })

  async function submitted(): Promise<string> {
    const order = await draft()
    for (const at of [2, 0]) await addLine(order, at)
    await make('nurse', 'PATCH', pathOf(order), moveTo('SUBMITTED'))
    return order
  }

  /** Everything that an order can have: members, notes, a line taken out again, and a trace of both kinds. */
  async function eventful(): Promise<string> {
    const order = await draft(content)
    const lines = [await addLine(order, 0), await addLine(order, 1), await addLine(order, 5)]
    await make('nurse', 'DELETE', pathOf(lines[1] ?? ''))
    await make('nurse', 'PATCH', pathOf(order), moveTo('SUBMITTED'))
    await make('nurse', 'PATCH', pathOf(order), [{ op: 'replace', path: '/priority', value: true }])
    await make('provider', 'PATCH', pathOf(order), [
      { op: 'add', path: '/notes/-', value: { note: 'On Monday' } }
    ])
    await make('provider', 'PATCH', pathOf(lines[0] ?? ''), moveTo('FULFILLED'))
    return order
  }

  async function deleted(): Promise<string> {
    const order = await draft()
    await make('nurse', 'DELETE', pathOf(order))
    return order
  }
  return { draft, submitted, eventful, deleted }
}

const content = {
  name: 'Blodtryksmåler med oplæring',
  priority: false,
  identifiers: [{ system: 'https://region.example/orders', value: 'O-1', assigner: 'Region' }],
  notes: [{ note: 'The doorbell is “broken”' }],
  receiver: {
    name: 'Rasmus Receiver',
    addressLine1: 'Åvej 1',
    addressLine2: '2. th.',
    postalCode: '8000',
    postalDistrict: 'Aarhus C',
    email: 'rasmus@example.org',
    phone: '+45 12 34 56 78',
    patient: patient('p6')
  }
}
