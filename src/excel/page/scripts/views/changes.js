import { element } from '../elements.js'
import { translate } from '../language.js'
import { dataTable } from './table.js'

/**
 * @typedef {import('../upload.js').Report} Report
 * @typedef {Report['changes']['rows'][number]} ChangedRow
 */

/** Changes that are shown at once; more are folded. */
const MAX_UNFOLDED = 20

const columns = /** @type {const} */ (['changeWhere', 'changeWhat', 'changeColumn', 'changeOld', 'changeNew'])

/** Shows what changes, row by row, and the columns that were not read.
 * @param {Report} report
 * @returns {HTMLElement[]}
 */
export function changesView({ dryRun, changes: { total, rows }, ignored }) {
  return [
    ...(total > 0 ? [changesOf(total, rows, translate(dryRun ? 'changesTable' : 'changedTable'))] : []),
    ...(ignored.length > 0 ? [ignoredView(ignored)] : [])
  ]
}

/** @param {number} total @param {readonly ChangedRow[]} rows @param {string} label */
function changesOf(total, rows, label) {
  const some = rows.length < total ? [translate('changesSome', { shown: rows.length, total })] : []
  return element(
    'details',
    rows.length <= MAX_UNFOLDED ? { open: '' } : {},
    element('summary', {}, translate('changesTitle', { count: total })),
    ...some.map((text) => element('p', {}, text)),
    dataTable(
      label,
      'changes',
      columns.map((key) => translate(key)),
      rows.flatMap(linesOf)
    )
  )
}

/** A line for each changed cell, or one for a new row.
 * @param {ChangedRow} row
 * @returns {string[][]}
 */
function linesOf({ sheet, row, change, name, identifier, columns: cells }) {
  const head = [`${sheet} ${row}`, [identifier, name].filter((text) => text !== null).join(' – ')]
  if (change === 'created') {
    const texts = cells.map(({ column, new: text }) => `${column}: ${text ?? ''}`)
    return [[...head, translate('changeCreated'), translate('nothing'), texts.join('; ')]]
  }
  return cells.map(({ column, old, new: text }) => [
    ...head,
    column,
    old ?? translate('nothing'),
    text ?? translate('nothing')
  ])
}

/** @param {Report['ignored']} ignored */
const ignoredView = (ignored) =>
  element(
    'div',
    { class: 'ignored' },
    element('p', {}, translate('ignoredTitle')),
    element(
      'ul',
      {},
      ...ignored.map(({ sheet, cell, column }) => element('li', {}, `${sheet} ${cell}: ${column}`))
    )
  )
