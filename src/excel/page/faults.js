import { button, element } from './elements.js'
import { inDanish, say } from './language.js'

/** @typedef {import('../sheets/cell-faults.js').CellFault} CellFault */

const columns = /** @type {const} */ (['faultSheet', 'faultCell', 'faultColumn', 'faultFound', 'faultDetail'])

/**
 * The faults of a workbook as a table, how many there are, and a way to get them marked in the workbook.
 * @param {import('./api.js').Problem} problem
 * @param {() => unknown} download
 */
export function faultsView({ total = 0, faults = [] }, download) {
  const some =
    faults.length < total ? [element('p', {}, say('faultsSome', { shown: faults.length, total }))] : []
  return element(
    'div',
    { class: 'result bad' },
    element('h3', { tabindex: '-1' }, `✗ ${say('faultsTitle', { count: total })}`),
    element('p', {}, say('faultsIntroduction')),
    ...some,
    button(say('marked'), 'second', download),
    element('p', { role: 'status', class: 'download-state' }),
    // Where it is wider than the page it scrolls, which must be possible without a mouse.
    element(
      'div',
      { class: 'wide', role: 'region', tabindex: '0', 'aria-label': say('faultsTable') },
      table(faults)
    )
  )
}

/**
 * The roles are told, since narrow pages show rows as blocks, and some browsers then forget that it is a table.
 * @param {readonly CellFault[]} faults
 */
function table(faults) {
  const heads = columns.map((key) => element('th', { scope: 'col', role: 'columnheader' }, say(key)))
  return element(
    'table',
    { role: 'table', 'aria-label': say('faultsTable') },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads)),
    element('tbody', { role: 'rowgroup' }, ...faults.map(row))
  )
}

/** @param {CellFault} fault */
function row({ sheet, cell, column, found, code, detail }) {
  const cells = [
    [sheet],
    [cell ?? say('wholeSheet')],
    [column ?? ''],
    [found ?? say('nothing')],
    whatToDo(code, detail)
  ]
  return element(
    'tr',
    { role: 'row' },
    ...cells.map((content, at) =>
      element('td', { role: 'cell', 'data-head': say(columns[at] ?? 'faultDetail') }, ...content)
    )
  )
}

/** @param {string} code @param {string} detail @returns {(Node | string)[]} */
function whatToDo(code, detail) {
  const text = inDanish(code)
  if (text !== undefined) return [text, element('small', { lang: 'en' }, detail)]
  return [element('span', { lang: 'en' }, detail)]
}
