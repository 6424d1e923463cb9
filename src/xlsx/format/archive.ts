import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import type { WorkbookLimits } from './limits.js'
import { throwWorkbookError, WorkbookError } from './workbook-error.js'

/** A zip file whose parts can be unpacked, up to a total size. */
export interface Archive {
  has(name: string): boolean
  /** Streams the content of a part; empty if there is no such part. */
  open(name: string): AsyncIterable<Buffer>
}

/**
 * Opens a zip file. Declared sizes are not trusted: bytes are counted as they are unpacked. A part
 * whose checksum differs from the declared checksum is damaged.
 * @throws WorkbookError
 */
export async function openArchive(
  bytes: Buffer,
  { parts, unpackedBytes }: Pick<WorkbookLimits, 'parts' | 'unpackedBytes'>
): Promise<Archive> {
  const zip = await orDamaged(fromBufferPromise(bytes, { lazyEntries: true, autoClose: false }))
  if (zip.entryCount > parts) throwWorkbookError('too-many-parts', { limit: parts })
  const entries = await orDamaged(entriesOf(zip))
  let counted = 0

  async function* unpack(entry: Entry): AsyncGenerator<Buffer> {
    if (entry.isEncrypted()) throwWorkbookError('encrypted')
    const stream: Readable = await zip.openReadStreamPromise(entry)
    let checksum = 0
    for await (const piece of stream as AsyncIterable<Buffer>) {
      counted += piece.length
      if (counted > unpackedBytes) throwWorkbookError('unpacked-too-large', { limit: unpackedBytes })
      checksum = crc32(piece, checksum)
      yield piece
    }
    // yauzl leaves this check to its callers.
    if (checksum !== entry.crc32) throwWorkbookError('damaged')
  }

  async function* open(name: string): AsyncGenerator<Buffer> {
    const entry = entries.get(name.toLowerCase())
    if (!entry) return
    try {
      yield* unpack(entry)
    } catch (cause) {
      throw toWorkbookError(cause)
    }
  }

  return {
    has: (name) => entries.has(name.toLowerCase()),
    open
  }
}

/** The parts by lower-case name: names are case-insensitive (ECMA-376 part 2, 6.2.2.3). */
async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase()
    // Programs disagree on which of two equally named parts to use.
    if (entries.has(name)) throwWorkbookError('damaged')
    entries.set(name, entry)
  }
  return entries
}

const orDamaged = <T>(promise: Promise<T>): Promise<T> =>
  promise.catch((cause) => {
    throw toWorkbookError(cause)
  })

const toWorkbookError = (cause: unknown) =>
  cause instanceof WorkbookError ? cause : new WorkbookError({ code: 'damaged' }, cause)

const ZIP_SIGNATURES = [Buffer.from('PK\x03\x04'), Buffer.from('PK\x05\x06')]
/**
 * A compound file: the format of Excel up to 2003, and the container of password-protected files.
 */
const COMPOUND_FILE_SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start)

/**
 * Requires a zip file.
 * @throws WorkbookError that names the type of the file.
 */
export function assertZipFile(bytes: Buffer): void {
  if (bytes.length === 0) throwWorkbookError('empty-file')
  if (ZIP_SIGNATURES.some((start) => startsWith(bytes, start))) return
  if (startsWith(bytes, COMPOUND_FILE_SIGNATURE))
    throwWorkbookError(bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted' : 'is-xls')
  throwWorkbookError(isText(bytes) ? 'is-csv' : 'not-a-workbook')
}

/** Whether the bytes look like CSV: no markup, and no zero bytes except in UTF-16. */
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
  if (Buffer.concat(start).toString('latin1').startsWith('application/vnd.oasis.opendocument'))
    throwWorkbookError('is-ods')
}
