import { listCatalogues } from './catalogues.js'
import { downloadWorkbook, safeFileName } from './download.js'
import { byId, element } from './elements.js'
import { onLanguageChange, translate } from './language.js'
import { describeError } from './problem-text.js'
import { createStatusLine } from './status.js'
import { currentToken, onTokenChange } from './token.js'

/** @typedef {import('./catalogues.js').Catalogue} Catalogue */

/** The URL of a catalogue without its id. The host may differ from that of this page. */
const CATALOGUE_URL = document.querySelector('meta[name=catalogue-url]')?.getAttribute('content')

const statusWords = /** @type {const} */ ({
  DRAFT: 'statusDraft',
  ACTIVE: 'statusActive',
  INACTIVE: 'statusInactive'
})

/**
 * Lets the user choose a new catalogue or one of their own.
 * @param {() => void} changed
 */
export function startTarget(changed) {
  const old = byId('target-old', HTMLInputElement)
  const select = byId('catalogue', HTMLSelectElement)
  const setStatus = createStatusLine(byId('catalogue-state', HTMLElement))
  /** @type {Catalogue[]} */
  let catalogues = []

  function render() {
    const { value } = select
    const choose = element('option', { value: '' }, translate('catalogueChoose'))
    select.replaceChildren(choose, ...catalogues.map(option))
    select.value = catalogues.some(({ id }) => id === value) ? value : ''
  }

  async function load() {
    const token = currentToken()
    if (token === undefined) return setStatus(() => translate('cataloguesNeedAccess'))
    setStatus(() => translate('cataloguesLoading'))
    try {
      const found = await listCatalogues()
      // The token has changed; a newer request is in flight.
      if (token !== currentToken()) return
      const { value } = select
      catalogues = found
      render()
      setStatus(() =>
        translate(found.length === 0 ? 'cataloguesNone' : 'cataloguesThere', { count: found.length })
      )
      if (select.value !== value) changed()
    } catch (error) {
      setStatus(() => translate('cataloguesFailed', { why: describeError(error) }))
    }
  }

  for (const id of ['target-new', 'target-old'])
    byId(id, HTMLInputElement).addEventListener('change', () => {
      byId('old', HTMLElement).hidden = !old.checked
      changed()
    })
  select.addEventListener('change', changed)
  onLanguageChange(render)
  onTokenChange(load)
  startDownloads(() => catalogues.find(({ id }) => id === select.value))
  void load()

  return {
    load,
    /**
     * Chooses a catalogue to update. Returns false if it is not in the list.
     * @param {string} id
     */
    choose(id) {
      if (!catalogues.some((each) => each.id === id)) return false
      old.checked = true
      byId('old', HTMLElement).hidden = false
      select.value = id
      changed()
      return true
    },
    /** Whether a target is chosen. */
    isChosen: () => !old.checked || select.value !== '',
    /** The catalogue to update; undefined for a new one. */
    id: () => (old.checked ? select.value : undefined),
    /** The URL of the catalogue to update; undefined without one. */
    address: () => (old.checked && select.value !== '' ? `${CATALOGUE_URL}${select.value}` : undefined)
  }
}

/** @param {Catalogue} catalogue */
function option({ id, name, status, identifiers }) {
  const known = [
    name,
    ...identifiers.slice(0, 1).map(({ value }) => value),
    translate(statusWords[status.code])
  ]
  return element('option', { value: id }, known.join(' – '))
}

/** @param {() => Catalogue | undefined} chosen */
function startDownloads(chosen) {
  const setStatus = createStatusLine(byId('download-state', HTMLElement))
  byId('template', HTMLButtonElement).addEventListener('click', () =>
    download('template', `${translate('templateName')}.xlsx`, setStatus)
  )
  byId('export', HTMLButtonElement).addEventListener('click', () => {
    const catalogue = chosen()
    if (!catalogue) return setStatus(() => translate('exportWhich'))
    return download(`catalogue/${catalogue.id}`, `${safeFileName(catalogue.name)}.xlsx`, setStatus)
  })
}

/**
 * Downloads a workbook and shows the progress.
 * @param {string} path
 * @param {string} name
 * @param {(words: () => string) => void} setStatus
 */
export async function download(path, name, setStatus) {
  setStatus(() => translate('downloading'))
  try {
    await downloadWorkbook(path, name)
    setStatus(() => translate('downloaded', { name }))
  } catch (error) {
    setStatus(() => translate('downloadFailed', { why: describeError(error) }))
  }
}
