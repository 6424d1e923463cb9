import assert from 'node:assert/strict'
import { annotations } from './assortment.js'
import { catalogueApi, orderApi, pathOf, patient, type Who } from './caller.js'
import { sameAnswers } from './compare.js'
import type { Servers } from './servers.js'

const nobody = '01890000-0000-7000-8000-000000000000'

/** Order details: of orders of each kind, and of none. */
export async function agreeOnDetails(servers: Servers, orders: readonly string[], deleted: string) {
  const details = (order: string, who: Who) => sameAnswers(servers, who, `${pathOf(order)}/details`)
  for (const order of orders) for (const who of ['nurse', 'provider'] as const) await details(order, who)
  const [gone] = await details(deleted, 'nurse')
  const [unknown] = await sameAnswers(servers, 'nurse', `${orderApi}/order/${nobody}/details`)
  assert.deepEqual([gone?.status, unknown?.status], [404, 404])
}

/** The item search, for patients with and without a black list, on one page and on several. */
export async function agreeOnSearch(servers: Servers, buyer: string) {
  const hits = async (who: string, limit: number) => {
    const pages = await sameAnswers(servers, 'nurse', searchPath(buyer, who, limit))
    return pages.map(({ text }) => JSON.parse(text).length)
  }
  assert.deepEqual(await hits('p0', 50), [50, 7])
  assert.deepEqual(await hits('p1', 50), [50, 6])
  assert.deepEqual(await hits('p2', 9), [9, 9, 9, 9, 9, 9, 2])
}

/** The address of a search for what a buyer can order for a patient with two annotations. */
export function searchPath(buyer: string, who: string, limit: number): string {
  const query = new URLSearchParams({ buyer, patient: patient(who), limit: String(limit) })
  for (const { name, value } of [annotations.type, annotations.period])
    query.append('annotation', `${name}:${value.system}|${value.code}`)
  return `${catalogueApi}/catalogue-items?${query}`
}

/** The list of a seller's submitted orders, page by page. */
export async function agreeOnLists(servers: Servers, seller: string, submitted: number) {
  for (const limit of [100, 17]) {
    const pages = await sameAnswers(servers, 'provider', listPath(seller, limit))
    const lengths = pages.map(({ text }) => JSON.parse(text).length)
    assert.equal(
      lengths.reduce((sum, each) => sum + each),
      submitted
    )
    assert.equal(lengths.length, Math.ceil(submitted / limit))
  }
}

/** The address of a list of a seller's submitted orders. */
export const listPath = (seller: string, limit: number) =>
  `${orderApi}/orders?${new URLSearchParams({ seller, status: 'SUBMITTED', limit: String(limit) })}`
