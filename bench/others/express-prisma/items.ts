import { Router } from 'express'
import { v7 } from 'uuid'
import { type ItemInput, rowsOf } from '../common/item-rows.js'
import { itemOf } from '../common/item-view.js'
import { type ItemQuery, itemQuery, linkTo, pageOf, today } from '../common/queries.js'
import { catalogueBase } from '../common/references.js'
import { prisma } from './prisma.js'

/** Catalogue items: the search for what can be ordered, and the bulk create. */
export const items = Router()

items.get('/catalogue-items', async (request, response) => {
  const wanted = itemQuery(request.query)
  const page = pageOf(await searchItems(wanted), wanted.limit)
  if (page.next) response.set('link', linkTo(`${catalogueBase}/catalogue-items`, request.query, page.next))
  response.json(page.rows.map((row) => itemOf(row, row.annotations)))
})

items.post('/catalogue-items', async (request, response) => {
  response.status(201).json(await createItems(request.body))
})

const searchItems = ({ buyerId, patient, annotations, limit, after }: ItemQuery) =>
  prisma.catalogueItem.findMany({
    where: {
      status: 'AVAILABLE',
      catalogue: { status: 'ACTIVE', seller: inContractWith(buyerId) },
      whiteList: { some: { buyerId } },
      blackList: { none: { patient } },
      AND: annotations.map((each) => ({ annotations: { some: { buyerId, ...each } } }))
    },
    include: { annotations: { where: { buyerId }, orderBy: { id: 'asc' } } },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    take: limit + 1,
    ...(after ? { cursor: { id: after }, skip: 1 } : {})
  })

/** A seller that has a contract with the buyer today, both of them in their roles. */
function inContractWith(buyerId: string) {
  const date = new Date(today())
  return {
    allowedRoles: { has: 'SELLER' },
    sales: {
      some: {
        firstDay: { lte: date },
        lastDay: { gte: date },
        buyers: { some: { buyerId, buyer: { allowedRoles: { has: 'BUYER' } } } }
      }
    }
  }
}

async function createItems(inputs: readonly ItemInput[]) {
  const { items, itemIdentifiers, annotations } = rowsOf(inputs, v7, new Date())
  await prisma.$transaction([
    prisma.catalogueItem.createMany({ data: items }),
    prisma.itemIdentifier.createMany({ data: itemIdentifiers }),
    prisma.annotation.createMany({ data: annotations })
  ])
  return items.map((row) => itemOf(row))
}
