import type { Archive } from './archive.js'
import type { WorkbookLimits } from './limits.js'
import { refuse } from './refusal.js'
import { textOf } from './rich-text.js'
import { readXml } from './xml.js'

/** The texts that cells name by number. */
export async function readSharedStrings(
  archive: Archive,
  part: string | undefined,
  { cellCharacters, characters }: WorkbookLimits
): Promise<string[]> {
  const texts: string[] = []
  let total = 0
  if (part === undefined || !archive.has(part)) return texts
  const handlers = textOf('si', cellCharacters, (text) => {
    texts.push(text)
    // An empty one costs memory too.
    total += text.length + 1
    if (total > characters) refuse('too-much-text', { limit: characters })
  })
  await readXml(archive.open(part), handlers)
  return texts
}
