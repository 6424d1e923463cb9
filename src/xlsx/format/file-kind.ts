import type { Archive } from './archive.js'
import { fail } from './workbook-error.js'

const ZIP_SIGNATURES = [Buffer.from('PK\x03\x04'), Buffer.from('PK\x05\x06')]
/**
 * A compound file: the format of Excel up to 2003, and the container of password-protected files.
 */
const COMPOUND_FILE_SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start)

/**
 * Requires a zip file.
 * @throws WorkbookError that names the kind of file found instead.
 */
export function assertZipFile(bytes: Buffer): void {
  if (bytes.length === 0) fail('empty-file')
  if (ZIP_SIGNATURES.some((start) => startsWith(bytes, start))) return
  if (startsWith(bytes, COMPOUND_FILE_SIGNATURE))
    fail(bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted' : 'is-xls')
  fail(isText(bytes) ? 'is-csv' : 'not-a-workbook')
}

/** Whether it looks like CSV: no markup, and no zero bytes except in UTF-16. */
function isText(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 4_096)
  const isUtf16 =
    startsWith(start, Buffer.from('fffe', 'hex')) || startsWith(start, Buffer.from('feff', 'hex'))
  if (isUtf16) return true
  const text = start.toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text holds none of these
  return !/[\x00-\x08\x0e-\x1f]/.test(text) && !/^(\xef\xbb\xbf)?\s*[<{%]/.test(text)
}

/**
 * Rejects OpenDocument files by the media type in their `mimetype` part (OpenDocument 1.3 part 2,
 * 3.3).
 * @throws WorkbookError `is-ods`.
 */
export async function assertNotOpenDocument(archive: Archive): Promise<void> {
  const start = []
  for await (const piece of archive.open('mimetype')) start.push(piece)
  if (Buffer.concat(start).toString('latin1').startsWith('application/vnd.oasis.opendocument')) fail('is-ods')
}
