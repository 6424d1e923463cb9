import { posix } from 'node:path'
import type { Archive } from './archive.js'
import { readXml } from './xml.js'

/** A relationship from one part to another. */
export interface Relationship {
  id: string
  /**
   * The last segment of its type URI, such as "worksheet"; the same in strict and transitional
   * files.
   */
  type: string
  /** Name of the other part in the archive. */
  target: string
}

const relationshipsPart = (part: string) =>
  posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`)

/**
 * Reads the relationships of a part, or of the package if the part is '' (ECMA-376 part 2, 6.5).
 * External ones are left out.
 */
export async function relationshipsOf(archive: Archive, part: string): Promise<Relationship[]> {
  const found: Relationship[] = []
  const name = part === '' ? '_rels/.rels' : relationshipsPart(part)
  if (!archive.has(name)) return found
  await readXml(archive.open(name), {
    open(element, { Id = '', Type = '', Target = '', TargetMode }) {
      if (element !== 'Relationship' || TargetMode === 'External') return
      found.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target: resolve(part, Target) })
    }
  })
  return found
}

const resolve = (part: string, target: string) =>
  target.startsWith('/') ? posix.normalize(target).slice(1) : posix.join(posix.dirname(part), target)
