import { button, element } from '../elements.js'
import { listImports, undoImport } from '../import-history.js'
import { currentLanguage, translate } from '../language.js'
import { describeError } from '../problem-text.js'
import { dataTable } from './table.js'

/** @typedef {import('../import-history.js').HistoryEntry} HistoryEntry */

const columns = /** @type {const} */ (['historyWhen', 'historyWhat', 'historyFile', 'historyWho'])

/**
 * Shows the imports of a catalogue, when they have arrived, and a button to take the last one back.
 * @param {string} address URL of the catalogue.
 * @param {() => unknown} onUndone called after an import was taken back.
 */
export function historyView(address, onUndone) {
  const list = element('div', {}, element('p', {}, translate('historyLoading')))
  const state = element('div', { role: 'status' })
  const action = element('div', { class: 'undo' })
  const view = element('div', { class: 'history' }, list, action, state)
  const heading = element('h3', { tabindex: '-1' }, translate('historyTitle'))

  async function load() {
    try {
      const entries = await listImports(address)
      list.replaceChildren(heading, tableOf(entries))
      const [last] = entries
      action.replaceChildren(...(last?.undoable ? [undoButton(last)] : []))
    } catch (error) {
      list.replaceChildren(element('p', {}, translate('historyFailed', { why: describeError(error) })))
    }
  }

  /** @param {HistoryEntry} entry @returns {HTMLElement} */
  function undoButton(entry) {
    const text = translate('undo', { when: timeOf(entry) })
    const start = button(text, 'second', () => {
      const confirm = confirmation(
        () => undo(entry),
        () => {
          action.replaceChildren(start)
          start.focus()
        }
      )
      state.replaceChildren()
      action.replaceChildren(confirm)
      confirm.focus()
    })
    return start
  }

  /** @param {HistoryEntry} entry */
  async function undo({ id }) {
    action.replaceChildren()
    state.replaceChildren(translate('undoing'))
    try {
      await undoImport(id)
      await load()
      state.replaceChildren(translate('undone'))
      heading.focus()
      onUndone()
    } catch (error) {
      await load()
      state.replaceChildren(translate('undoFailed', { why: describeError(error) }))
      heading.focus()
    }
  }

  void load()
  return view
}

/** @param {() => unknown} confirm @param {() => unknown} cancel */
const confirmation = (confirm, cancel) =>
  element(
    'div',
    { role: 'group', tabindex: '-1', 'aria-label': translate('undoQuestion'), class: 'confirm' },
    element('p', {}, translate('undoQuestion')),
    element('p', { class: 'hint' }, translate('undoHint')),
    element(
      'div',
      { class: 'row' },
      button(translate('undoConfirm'), 'first', confirm),
      button(translate('undoCancel'), 'second', cancel)
    )
  )

/** @param {readonly HistoryEntry[]} entries */
const tableOf = (entries) =>
  entries.length === 0
    ? element('p', {}, translate('historyNone'))
    : dataTable(
        translate('historyTable'),
        'history-table',
        columns.map((key) => translate(key)),
        entries.map((entry) => [timeOf(entry), describeChange(entry), entry.fileName ?? '', entry.user ?? ''])
      )

/** @param {HistoryEntry} entry */
const timeOf = ({ recorded }) =>
  new Intl.DateTimeFormat(currentLanguage() === 'da' ? 'da-DK' : 'en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium'
  }).format(new Date(recorded))

/** @param {HistoryEntry} entry */
function describeChange({ undoes, undone, items: { created, changed, withdrawn } }) {
  const what = translate(undoes === null ? 'historyImport' : 'historyUndo')
  const parts = [
    ...(created > 0 ? [translate('didCreate', { count: created })] : []),
    ...(changed > 0 ? [translate('didChange', { count: changed })] : []),
    ...(withdrawn > 0 ? [translate('didWithdraw', { count: withdrawn })] : []),
    ...(undone === null ? [] : [translate('historyUndone')])
  ]
  return [what, ...parts].join(' ')
}
