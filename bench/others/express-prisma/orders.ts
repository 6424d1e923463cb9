import { Router } from 'express'
import { acceptanceTrace, acceptedOrder, isAcceptance, submitted } from '../common/acceptance.js'
import { detailsOf, orderOf } from '../common/order-view.js'
import { linkTo, type OrderQuery, orderQuery, pageOf } from '../common/queries.js'
import { ordersBase } from '../common/references.js'
import { prisma } from './prisma.js'
import { Refusal } from './refusal.js'

/** Orders: details, a list, and the move to ACCEPTED. */
export const orders = Router()

orders.get('/order/:id/details', async (request, response) => {
  response.json(detailsOf(await loadDetails(request.params.id)))
})

orders.get('/orders', async (request, response) => {
  const wanted = orderQuery(request.query)
  const page = pageOf(await listOrders(wanted), wanted.limit)
  if (page.next) response.set('link', linkTo(`${ordersBase}/orders`, request.query, page.next))
  response.json(page.rows.map(orderOf))
})

orders.patch('/order/:id', async (request, response) => {
  if (!isAcceptance(request.body)) throw new Refusal(422, 'unsupported-patch')
  await acceptOrder(request.params.id)
  response.sendStatus(204)
})

async function loadDetails(id: string) {
  const order = await prisma.order.findUnique({
    where: { id, deletedAt: null },
    include: {
      lines: { where: { deletedAt: null }, orderBy: { id: 'asc' } },
      traceLines: { orderBy: [{ timestamp: 'asc' }, { seq: 'asc' }] }
    }
  })
  if (!order) throw new Refusal(404, 'not-found')
  return order
}

const listOrders = ({ sellerId, status, limit, after }: OrderQuery) =>
  prisma.order.findMany({
    where: { sellerId, status, deletedAt: null, ...(after ? { id: { lt: after } } : {}) },
    orderBy: { id: 'desc' },
    take: limit + 1
  })

/** Written only if the order is still at the revision that was read. */
async function acceptOrder(id: string): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const order = await tx.order.findUnique({ where: { id, deletedAt: null }, include: { seller: true } })
    if (!order) throw new Refusal(404, 'not-found')
    if (order.status !== submitted) throw new Refusal(409, 'illegal-transition')
    const at = new Date()
    await tx.order.update({
      where: { id, revision: order.revision },
      data: { ...acceptedOrder(order, at), traceLines: { create: acceptanceTrace(order, at) } },
      select: { id: true }
    })
  })
}
