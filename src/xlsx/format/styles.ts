import type { Archive } from './archive.js'
import { builtInFormat, type NumberFormat, parseFormatCode } from './number-format.js'
import { readXml } from './xml.js'

/** Reads the number formats of the cell styles, by style index. */
export async function readStyles(archive: Archive, part: string | undefined): Promise<NumberFormat[]> {
  const own = new Map<string, NumberFormat>()
  const formats: NumberFormat[] = []
  if (part === undefined || !archive.has(part)) return formats
  let list = ''
  await readXml(archive.open(part), {
    open(element, { numFmtId = '0', formatCode = '' }) {
      if (element === 'numFmts' || element === 'cellXfs') list = element
      else if (list === 'numFmts' && element === 'numFmt') own.set(numFmtId, parseFormatCode(formatCode))
      else if (list === 'cellXfs' && element === 'xf')
        formats.push(own.get(numFmtId) ?? builtInFormat(Number(numFmtId)))
    },
    close(element) {
      if (element === list) list = ''
    }
  })
  return formats
}
