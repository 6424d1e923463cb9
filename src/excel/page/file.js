import { byId } from './elements.js'
import { say } from './language.js'
import { statusIn } from './status.js'

/** @typedef {import('./job.js').Workbook} Workbook */

/** Bytes that the server takes. */
const limit = Number(document.querySelector('meta[name=upload-limit]')?.getAttribute('content'))
const kilobytes = (/** @type {number} */ bytes) => Math.ceil(bytes / 1000)

/**
 * Lets the reader choose a file, or drop one anywhere on the page.
 * @param {(workbook: Workbook | undefined) => void} chosen called with what the file holds now, or nothing where it will not do.
 * @param {() => boolean} isLocked
 */
export function startFile(chosen, isLocked) {
  const input = byId('file', HTMLInputElement)
  const zone = byId('drop', HTMLButtonElement)
  const tell = statusIn(byId('file-state', HTMLElement))
  tell(() => say('fileNone'))

  /** @param {readonly File[]} files */
  async function take(files) {
    const [file] = files
    if (!file || isLocked()) return
    const { name, size } = file
    if (files.length > 1) return refuse(() => say('fileSeveral'))
    if (size > limit)
      return refuse(() => say('fileTooLarge', { name, size: kilobytes(size), limit: kilobytes(limit) }))
    const bytes = await contentOf(file)
    if (!bytes) return refuse(() => say('fileUnreadable', { name }))
    if (bytes.size === 0) return refuse(() => say('fileEmpty', { name }))
    tell(() => say('fileChosen', { name, size: kilobytes(size) }))
    chosen({ name, bytes })
  }
  /** @param {() => string} why */
  function refuse(why) {
    tell(() => `✗ ${why()}`)
    chosen(undefined)
  }

  zone.addEventListener('click', () => !isLocked() && input.click())
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])]
    // So that the same file can be chosen again once it is corrected.
    input.value = ''
    return take(files)
  })
  startDropping(zone, take)
}

/**
 * Takes files that are dropped. A file beside the zone is taken as well: the browser would leave the page for it.
 * @param {HTMLElement} zone
 * @param {(files: File[]) => unknown} take
 */
function startDropping(zone, take) {
  const mark = (/** @type {boolean} */ isOver) => zone.classList.toggle('over', isOver)
  document.addEventListener('dragover', (event) => {
    event.preventDefault()
    mark(true)
  })
  document.addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false))
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    mark(false)
    return take([...(event.dataTransfer?.files ?? [])])
  })
}

/**
 * What a file holds now: what is checked must be what is imported, whatever becomes of the file on the disk meanwhile.
 * @param {File} file
 */
async function contentOf(file) {
  try {
    return new Blob([await file.arrayBuffer()], { type: file.type })
  } catch {
    return undefined
  }
}
