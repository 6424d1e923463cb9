import { button, element } from '../elements.js'
import { currentLanguage, translate } from '../language.js'
import { dataTable } from './table.js'

/** @typedef {import('../../../sheets/cell-faults.js').FaultInResponse} Fault */

const columns = /** @type {const} */ (['faultSheet', 'faultCell', 'faultColumn', 'faultFound', 'faultDetail'])

/**
 * Shows the number of faults, a table of them, and a button to download the marked workbook.
 * @param {import('../api.js').Problem} problem
 * @param {() => unknown} download
 */
export function faultsView({ total = 0, faults = [] }, download) {
  const some =
    faults.length < total ? [element('p', {}, translate('faultsSome', { shown: faults.length, total }))] : []
  return element(
    'div',
    { class: 'result bad' },
    element('h3', { tabindex: '-1' }, `✗ ${translate('faultsTitle', { count: total })}`),
    element('p', {}, translate('faultsIntroduction')),
    ...some,
    button(translate('marked'), 'second', download),
    element('p', { role: 'status', class: 'download-state' }),
    dataTable(
      translate('faultsTable'),
      'faults',
      columns.map((key) => translate(key)),
      faults.map(rowOf)
    )
  )
}

/** @param {Fault} fault */
const rowOf = ({ sheet, cell, column, found, details }) => [
  sheet,
  cell ?? translate('wholeSheet'),
  column ?? '',
  found ?? translate('nothing'),
  details[currentLanguage()]
]
