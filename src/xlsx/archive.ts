import type { Readable } from 'node:stream'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import type { WorkbookLimits } from './limits.js'
import { refuse, WorkbookRefusal } from './refusal.js'

/** A zip file whose parts can be unpacked, up to a limit for all that is unpacked. */
export interface Archive {
  has(name: string): boolean
  /** A part's content, piece by piece; nothing where there is no such part. */
  open(name: string): AsyncIterable<Buffer>
}

/**
 * Lists the parts of a zip file. What the list says of sizes is not believed: bytes are counted as they are unpacked.
 * @throws WorkbookRefusal
 */
export async function openArchive(
  bytes: Buffer,
  { parts, unpackedBytes }: Pick<WorkbookLimits, 'parts' | 'unpackedBytes'>
): Promise<Archive> {
  const zip = await asDamage(fromBufferPromise(bytes, { lazyEntries: true, autoClose: false }))
  if (zip.entryCount > parts) refuse('too-many-parts', { limit: parts })
  const entries = await asDamage(entriesOf(zip))
  let counted = 0

  async function* unpack(entry: Entry): AsyncGenerator<Buffer> {
    if (entry.isEncrypted()) refuse('encrypted')
    const stream: Readable = await zip.openReadStreamPromise(entry)
    for await (const piece of stream as AsyncIterable<Buffer>) {
      counted += piece.length
      if (counted > unpackedBytes) refuse('unpacked-too-large', { limit: unpackedBytes })
      yield piece
    }
  }

  async function* open(name: string): AsyncGenerator<Buffer> {
    const entry = entries.get(name.toLowerCase())
    if (!entry) return
    try {
      yield* unpack(entry)
    } catch (cause) {
      throw damage(cause)
    }
  }

  return {
    has: (name) => entries.has(name.toLowerCase()),
    open
  }
}

/** The parts by name; names that differ in nothing but case are the same (ECMA-376 part 2, 6.2.2.3). */
async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase()
    // Programs would not agree on which of two parts of the same name is meant.
    if (entries.has(name)) refuse('damaged')
    entries.set(name, entry)
  }
  return entries
}

const asDamage = <T>(promise: Promise<T>): Promise<T> =>
  promise.catch((cause) => {
    throw damage(cause)
  })

const damage = (cause: unknown) =>
  cause instanceof WorkbookRefusal ? cause : new WorkbookRefusal({ code: 'damaged' }, cause)
