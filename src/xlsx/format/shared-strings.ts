import type { Archive } from './archive.js'
import type { WorkbookLimits } from './limits.js'
import { richTextHandlers } from './rich-text.js'
import { fail } from './workbook-error.js'
import { readXml } from './xml.js'

/** Reads the shared strings, which cells refer to by index. */
export async function readSharedStrings(
  archive: Archive,
  part: string | undefined,
  { cellCharacters, characters }: WorkbookLimits
): Promise<string[]> {
  const texts: string[] = []
  let total = 0
  if (part === undefined || !archive.has(part)) return texts
  const handlers = richTextHandlers('si', cellCharacters, (text) => {
    texts.push(text)
    // An empty text costs memory too.
    total += text.length + 1
    if (total > characters) fail('too-much-text', { limit: characters })
  })
  await readXml(archive.open(part), handlers)
  return texts
}
