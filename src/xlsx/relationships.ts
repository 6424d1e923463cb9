import { posix } from 'node:path'
import type { Archive } from './archive.js'
import { readXml } from './xml.js'

/** What a part says of another one. */
export interface Relationship {
  id: string
  /** The last word of its type, which is the same in the strict and the transitional form: "worksheet". */
  type: string
  /** The other part's name in the archive. */
  target: string
}

const nameOf = (part: string) => posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`)

/** The relationships of a part, or of the whole package where the part is '' (ECMA-376 part 2, 6.5); those that lead out are left out. */
export async function relationshipsOf(archive: Archive, part: string): Promise<Relationship[]> {
  const found: Relationship[] = []
  const name = part === '' ? '_rels/.rels' : nameOf(part)
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
