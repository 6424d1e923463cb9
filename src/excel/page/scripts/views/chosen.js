import { byId, element } from '../elements.js'
import { catalogueView } from './catalogue-view.js'
import { historyView } from './history-view.js'

/**
 * Shows a catalogue and the history of its imports. The catalogue is shown again after an undo.
 * @param {string | undefined} address URL of the catalogue; undefined shows none.
 */
export function showCatalogue(address) {
  const section = byId('chosen', HTMLElement)
  section.hidden = address === undefined
  if (address === undefined) return section.replaceChildren()
  const shown = element('div', {}, catalogueView(address))
  section.replaceChildren(
    shown,
    historyView(address, () => shown.replaceChildren(catalogueView(address)))
  )
}
