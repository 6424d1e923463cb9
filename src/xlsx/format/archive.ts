import type { Readable } from 'node:stream'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import type { WorkbookLimits } from './limits.js'
import { fail, WorkbookError } from './workbook-error.js'

/** A zip file whose parts can be unpacked, up to a total size. */
export interface Archive {
  has(name: string): boolean
  /** Streams the content of a part; empty if there is no such part. */
  open(name: string): AsyncIterable<Buffer>
}

/**
 * Opens a zip file. Declared sizes are not trusted: bytes are counted as they are unpacked.
 * @throws WorkbookError
 */
export async function openArchive(
  bytes: Buffer,
  { parts, unpackedBytes }: Pick<WorkbookLimits, 'parts' | 'unpackedBytes'>
): Promise<Archive> {
  const zip = await orDamaged(fromBufferPromise(bytes, { lazyEntries: true, autoClose: false }))
  if (zip.entryCount > parts) fail('too-many-parts', { limit: parts })
  const entries = await orDamaged(entriesOf(zip))
  let counted = 0

  async function* unpack(entry: Entry): AsyncGenerator<Buffer> {
    if (entry.isEncrypted()) fail('encrypted')
    const stream: Readable = await zip.openReadStreamPromise(entry)
    for await (const piece of stream as AsyncIterable<Buffer>) {
      counted += piece.length
      if (counted > unpackedBytes) fail('unpacked-too-large', { limit: unpackedBytes })
      yield piece
    }
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
    // Programs disagree on which of two equally named parts counts.
    if (entries.has(name)) fail('damaged')
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
