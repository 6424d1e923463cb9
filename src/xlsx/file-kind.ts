import type { Archive } from './archive.js'
import { refuse } from './refusal.js'

const zip = [Buffer.from('PK\x03\x04'), Buffer.from('PK\x05\x06')]
/** A compound file: what Excel up to 2003 wrote, and the wrapping of everything that has a password. */
const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start)

/**
 * Says of a file that cannot be a workbook what it is instead.
 * @throws WorkbookRefusal unless it is a zip file
 */
export function refuseOtherFiles(bytes: Buffer): void {
  if (bytes.length === 0) refuse('empty-file')
  if (zip.some((start) => startsWith(bytes, start))) return
  if (startsWith(bytes, compound))
    refuse(bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted' : 'is-xls')
  refuse(isText(bytes) ? 'is-csv' : 'not-a-workbook')
}

/** Whether it looks like the text that spreadsheet programs write: no markup, and no zero bytes but those of UTF-16. */
function isText(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 4_096)
  const isUtf16 =
    startsWith(start, Buffer.from('fffe', 'hex')) || startsWith(start, Buffer.from('feff', 'hex'))
  if (isUtf16) return true
  const text = start.toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what text does not hold
  return !/[\x00-\x08\x0e-\x1f]/.test(text) && !/^(\xef\xbb\xbf)?\s*[<{%]/.test(text)
}

/**
 * Says of a zip file that is no workbook what it is instead, where its name of a media type tells (OpenDocument 1.3 part 2, 3.3).
 * @throws WorkbookRefusal
 */
export async function refuseOtherArchives(archive: Archive): Promise<void> {
  const start = []
  for await (const piece of archive.open('mimetype')) start.push(piece)
  if (Buffer.concat(start).toString('latin1').startsWith('application/vnd.oasis.opendocument'))
    refuse('is-ods')
}
