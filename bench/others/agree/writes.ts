import assert from 'node:assert/strict'
import { annotations } from './assortment.js'
import { catalogueApi, pathOf, send } from './caller.js'
import { alike, sameResults } from './compare.js'
import { moveTo } from './orders.js'
import type { Servers } from './servers.js'
import type { Trade } from './trade.js'

/** So many that some of them read an order which another is about to change. */
const atOnce = 12

/** Accepting orders: each server one of its own, once, and then in vain; the product tells what became of it. */
export async function agreeOnAcceptance({ origin }: Servers, trade: Trade, makeOrder: () => Promise<string>) {
  await sameResults('PATCH of an order', async (name) => {
    const order = await makeOrder()
    const accept = () => send(origin(name), 'provider', 'PATCH', pathOf(order), moveTo('ACCEPTED'))
    const answers = await Promise.all(Array.from({ length: atOnce }, accept))
    const again = await accept()
    const details = await send(origin('product'), 'provider', 'GET', `${pathOf(order)}/details`)
    const { timestamp } = JSON.parse(details.text).traceLines.at(-1)
    assert.ok(Math.abs(Date.now() - Date.parse(timestamp)) < 10_000)
    return {
      answers: answers.map(({ status, text }) => `${status} ${status === 204 ? text : ''}`).sort(),
      again: again.status,
      details: alike(details.text, trade.buyer, trade.seller)
    }
  })
}

/** Bulk creates: each server into a catalogue of its own; the product tells what is in there. */
export async function agreeOnBulk({ origin }: Servers, trade: Trade) {
  await sameResults('POST of 500 items', async (name) => {
    const catalogue = await trade.further()
    const path = `${catalogueApi}/catalogue-items`
    const sent = bulk(catalogue, trade.buyer)
    const post = (body: unknown) => send(origin(name), 'clerk', 'POST', path, body)
    const inVain = await post([...bulk(catalogue, trade.buyer), sent[0]])
    const left = await send(
      origin('product'),
      'clerk',
      'GET',
      `${path}?${new URLSearchParams({ catalogue })}`
    )
    assert.deepEqual([inVain.status >= 400 && inVain.status < 500, left.text], [true, '[]'])
    const created = await post(sent)
    return [created, ...(await readBack(origin('product'), catalogue))].map(({ status, text }) => ({
      status,
      body: alike(text, trade.buyer)
    }))
  })
}

function readBack(product: string, catalogue: string) {
  const path = (list: string, more: object = {}) =>
    `${catalogueApi}/${list}?${new URLSearchParams({ catalogue, ...more })}`
  return Promise.all(
    [path('catalogue-items'), path('catalogue-items', { q: 'bulk i-499' }), path('annotations')].map((each) =>
      send(product, 'clerk', 'GET', each)
    )
  )
}

/** 500 items, of both types, with 5 annotations each. */
export const bulk = (catalogue: string, buyer: string, items = 500) =>
  Array.from({ length: items }, (_, at) => ({
    ...(at % 10 === 0
      ? { catalogueItemType: 'Service', serviceType: 'REPAIR' }
      : { catalogueItemType: 'DeviceModel', manufacturer: 'A&D', model: `UA-${at}`, version: null }),
    catalogue,
    name: `Bulk ${at}`,
    description: 'One of many',
    status: 'AVAILABLE',
    identifiers: [{ system: 'https://provider.example/number', value: `I-${at}` }],
    annotations: [annotations.type, annotations.period, annotations.ward, ...moreOf(annotations.ward)].map(
      (each) => ({ buyer, ...each })
    )
  }))

const moreOf = ({ value }: (typeof annotations)['ward']) =>
  ['floor', 'shelf'].map((name) => ({ name, value }))
