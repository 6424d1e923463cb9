import type { Archive } from './archive.js'
import { lookOfBuiltIn, lookOfCode, type NumberLook } from './number-format.js'
import { readXml } from './xml.js'

/** What each style of a cell makes of numbers, by the style's number. */
export async function readStyles(archive: Archive, part: string | undefined): Promise<NumberLook[]> {
  const own = new Map<string, NumberLook>()
  const looks: NumberLook[] = []
  if (part === undefined || !archive.has(part)) return looks
  let list = ''
  await readXml(archive.open(part), {
    open(element, { numFmtId = '0', formatCode = '' }) {
      if (element === 'numFmts' || element === 'cellXfs') list = element
      else if (list === 'numFmts' && element === 'numFmt') own.set(numFmtId, lookOfCode(formatCode))
      else if (list === 'cellXfs' && element === 'xf')
        looks.push(own.get(numFmtId) ?? lookOfBuiltIn(Number(numFmtId)))
    },
    close(element) {
      if (element === list) list = ''
    }
  })
  return looks
}
