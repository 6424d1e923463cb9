import { call, lastSegment, readBody } from '../api.js'
import { element } from '../elements.js'
import { translate } from '../language.js'
import { describeError } from '../problem-text.js'
import { dataTable } from './table.js'

/**
 * @typedef {{ catalogueItemType: 'DeviceModel' | 'Service', name: string, status: 'AVAILABLE' |
 *   'UNAVAILABLE' | 'DISCONTINUED', identifiers: { value: string }[] }} Item
 * @typedef {{ name: string, status: { code: 'DRAFT' | 'ACTIVE' | 'INACTIVE' } }} Catalogue
 */

/** Items that are shown. */
const MAX_ITEMS = 200

const itemStatuses = /** @type {const} */ ({
  AVAILABLE: 'itemAvailable',
  UNAVAILABLE: 'itemUnavailable',
  DISCONTINUED: 'itemDiscontinued'
})
const catalogueStatuses = /** @type {const} */ ({
  DRAFT: 'catalogueDraft',
  ACTIVE: 'catalogueActive',
  INACTIVE: 'catalogueInactive'
})
const columns = /** @type {const} */ (['itemIdentifier', 'itemName', 'itemType', 'itemStatus'])

/**
 * Shows a catalogue and its first items, when they have arrived.
 * @param {string} address URL of the catalogue.
 */
export function catalogueView(address) {
  const view = element(
    'div',
    { class: 'catalogue' },
    element('p', { role: 'status' }, translate('catalogueLoading'))
  )
  load(address)
    .then((shown) => view.replaceChildren(...shown))
    .catch((error) =>
      view.replaceChildren(element('p', {}, translate('catalogueFailed', { why: describeError(error) })))
    )
  return view
}

/** @param {string} address */
async function load(address) {
  const itemsUrl = new URL('/ssl-catalogue/v1/catalogue-items', import.meta.url)
  itemsUrl.searchParams.set('catalogue', address)
  itemsUrl.searchParams.set('limit', String(MAX_ITEMS))
  const url = new URL(`/ssl-catalogue/v1/catalogue/${lastSegment(address)}`, import.meta.url)
  const [catalogueResponse, itemsResponse] = [await call(url), await call(itemsUrl)]
  /** @type {Catalogue} */
  const { name, status } = await readBody(catalogueResponse.json())
  /** @type {Item[]} */
  const items = await readBody(itemsResponse.json())
  const some =
    itemsResponse.headers.get('link') === null ? [] : [translate('itemsSome', { shown: items.length })]
  return [
    element('h3', {}, translate('catalogueNow', { name })),
    element('p', {}, translate(catalogueStatuses[status.code])),
    ...some.map((text) => element('p', {}, text)),
    dataTable(
      translate('itemsTable'),
      'items',
      columns.map((key) => translate(key)),
      items.map((item) => [
        item.identifiers[0]?.value ?? '',
        item.name,
        translate(item.catalogueItemType === 'Service' ? 'itemService' : 'itemDevice'),
        translate(itemStatuses[item.status])
      ])
    )
  ]
}
