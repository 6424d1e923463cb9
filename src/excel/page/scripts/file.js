import { byId } from './elements.js'
import { translate } from './language.js'
import { createStatusLine } from './status.js'

/** @typedef {import('./upload.js').Workbook} Workbook */

/** Maximum size of a file on the server, in bytes. */
const MAX_BYTES = Number(document.querySelector('meta[name=upload-limit]')?.getAttribute('content'))
const kilobytes = (/** @type {number} */ bytes) => Math.ceil(bytes / 1000)

/**
 * Lets the user choose a file, or drop one anywhere on the page.
 * @param {(workbook: Workbook | undefined) => void} chosen called with a snapshot of the file, or
 *   undefined if it is rejected.
 * @param {() => boolean} isLocked
 */
export function startFile(chosen, isLocked) {
  const input = byId('file', HTMLInputElement)
  const zone = byId('drop', HTMLButtonElement)
  const setStatus = createStatusLine(byId('file-state', HTMLElement))
  setStatus(() => translate('fileNone'))

  /** @param {readonly File[]} files */
  async function select(files) {
    const [file] = files
    if (!file || isLocked()) return
    const { name, size } = file
    if (files.length > 1) return reject(() => translate('fileSeveral'))
    if (size > MAX_BYTES)
      return reject(() =>
        translate('fileTooLarge', { name, size: kilobytes(size), limit: kilobytes(MAX_BYTES) })
      )
    const bytes = await contentOf(file)
    if (!bytes) return reject(() => translate('fileUnreadable', { name }))
    if (bytes.size === 0) return reject(() => translate('fileEmpty', { name }))
    setStatus(() => translate('fileChosen', { name, size: kilobytes(size) }))
    chosen({ name, bytes })
  }
  /** @param {() => string} why */
  function reject(why) {
    setStatus(() => `✗ ${why()}`)
    chosen(undefined)
  }

  zone.addEventListener('click', () => !isLocked() && input.click())
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])]
    // Allows choosing the same file again after it is corrected.
    input.value = ''
    return select(files)
  })
  startDropping(zone, select)
}

/**
 * Accepts dropped files, also beside the zone: otherwise the browser would open the file and leave
 * the page.
 * @param {HTMLElement} zone
 * @param {(files: File[]) => unknown} select
 */
function startDropping(zone, select) {
  const mark = (/** @type {boolean} */ isOver) => zone.classList.toggle('over', isOver)
  document.addEventListener('dragover', (event) => {
    event.preventDefault()
    mark(true)
  })
  document.addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false))
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    mark(false)
    return select([...(event.dataTransfer?.files ?? [])])
  })
}

/**
 * Takes a snapshot of a file, so that the import sends what was checked even if the file changes on
 * disk.
 * @param {File} file
 */
async function contentOf(file) {
  try {
    return new Blob([await file.arrayBuffer()], { type: file.type })
  } catch {
    return undefined
  }
}
