import { element } from '../elements.js'

/**
 * A table of texts in a region that scrolls. Roles are explicit: narrow pages show rows as blocks,
 * and some browsers then drop the table semantics.
 * @param {string} label
 * @param {string} className
 * @param {readonly string[]} heads
 * @param {readonly (readonly string[])[]} rows
 */
export function dataTable(label, className, heads, rows) {
  const row = (/** @type {readonly string[]} */ texts) =>
    element(
      'tr',
      { role: 'row' },
      ...texts.map((text, at) => element('td', { role: 'cell', 'data-head': heads[at] ?? '' }, text))
    )
  const table = element(
    'table',
    { role: 'table', 'aria-label': label, class: className },
    element(
      'thead',
      { role: 'rowgroup' },
      element(
        'tr',
        { role: 'row' },
        ...heads.map((head) => element('th', { scope: 'col', role: 'columnheader' }, head))
      )
    ),
    element('tbody', { role: 'rowgroup' }, ...rows.map(row))
  )
  // Focusable, so that a wide table can be scrolled with the keyboard.
  return element('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': label }, table)
}
