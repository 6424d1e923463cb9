// A provider processes the orders in its inbox. TOKEN is the token of a Provider of
// maaneskaer-medicoteknik.

import { idOf } from '../clients/typescript/src/index.js'
import { order } from './connect.js'

const inbox = await order.listOrder({ status: ['SUBMITTED'] }).all()
for (const { id, receiver } of inbox) {
  await order.patchOrder(id, [
    { op: 'replace', path: '/status/code', value: 'ACCEPTED' },
    { op: 'add', path: '/notes/-', value: { note: 'Vi kommer mandag.' } }
  ])
  for await (const line of order.listOrderLine({
    order: order.urlOf('order', { id }),
    status: ['SUBMITTED']
  }))
    await order.patchOrderLine(line.id, [
      { op: 'add', path: '/agreedFrom', value: '2026-03-05T10:00:00+01:00' },
      { op: 'add', path: '/agreedTo', value: '2026-03-05T12:00:00+01:00' }
    ])
  console.log('accepted', id, receiver.name)
}

const day = {
  agreedFrom: '2026-03-05',
  agreedTo: '2026-03-05',
  sort: 'agreedFrom',
  status: ['SUBMITTED']
} as const
const round = await order.listOrderLine(day).all()
for (const orderId of new Set(round.map((line) => idOf(line.order)))) {
  await order.patchOrder(orderId, [{ op: 'replace', path: '/status/code', value: 'FULFILLED' }])
  console.log('fulfilled', orderId)
}
