import { button, element } from './elements.js'
import { currentLanguage, translate } from './language.js'

/** @typedef {import('../../sheets/cell-faults.js').FaultInResponse} Fault */

const columns = /** @type {const} */ (['faultSheet', 'faultCell', 'faultColumn', 'faultFound', 'faultDetail'])

/**
 * Shows the number of faults, a table of them, and a button to download the marked workbook.
 * @param {import('./api.js').Problem} problem
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
    // Focusable, so that a wide table can be scrolled with the keyboard.
    element(
      'div',
      { class: 'wide', role: 'region', tabindex: '0', 'aria-label': translate('faultsTable') },
      table(faults)
    )
  )
}

/**
 * Roles are explicit: narrow pages show rows as blocks, and some browsers then drop the table
 * semantics.
 * @param {readonly Fault[]} faults
 */
function table(faults) {
  const heads = columns.map((key) => element('th', { scope: 'col', role: 'columnheader' }, translate(key)))
  return element(
    'table',
    { role: 'table', 'aria-label': translate('faultsTable') },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads)),
    element('tbody', { role: 'rowgroup' }, ...faults.map(row))
  )
}

/** @param {Fault} fault */
function row({ sheet, cell, column, found, details }) {
  const cells = [
    [sheet],
    [cell ?? translate('wholeSheet')],
    [column ?? ''],
    [found ?? translate('nothing')],
    [details[currentLanguage()]]
  ]
  return element(
    'tr',
    { role: 'row' },
    ...cells.map((content, at) =>
      element('td', { role: 'cell', 'data-head': translate(columns[at] ?? 'faultDetail') }, ...content)
    )
  )
}
