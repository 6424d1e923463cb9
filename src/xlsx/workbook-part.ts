import type { Archive } from './archive.js'
import type { WorkbookLimits } from './limits.js'
import { refuse } from './refusal.js'
import { type Relationship, relationshipsOf } from './relationships.js'
import { isTrue, prefixed, readXml } from './xml.js'

/** A sheet as the workbook lists it. */
export interface SheetEntry {
  name: string
  isHidden: boolean
  /** The part that holds its cells. */
  part: string
}

/** What the workbook's main part says. */
export interface WorkbookPart {
  sheets: SheetEntry[]
  /** Whether days are counted from 1904. */
  is1904: boolean
  sharedStrings: string | undefined
  styles: string | undefined
}

/** Letters that a sheet's name may have; Excel allows 31. */
const longestName = 255

/**
 * The sheets of cells, in the order of their tabs; charts and the like are left out.
 * @throws WorkbookRefusal
 */
export async function readWorkbookPart(archive: Archive, limits: WorkbookLimits): Promise<WorkbookPart> {
  const main = await mainPart(archive)
  const related = await relationshipsOf(archive, main)
  const sheets: SheetEntry[] = []
  let is1904 = false
  await readXml(archive.open(main), {
    open(element, attributes) {
      if (element === 'workbookPr') is1904 = isTrue(attributes.date1904)
      if (element !== 'sheet') return
      const target = related.find(({ id }) => id === prefixed(attributes, 'id'))
      if (target?.type !== 'worksheet') return
      if (sheets.length === limits.sheets) refuse('too-many-sheets', { limit: limits.sheets })
      sheets.push(entryOf(attributes.name, attributes.state, target.target))
    }
  })
  const lost = sheets.find(({ part }) => !archive.has(part))
  if (lost) refuse('damaged')
  if (sheets.length === 0) refuse('no-sheets')
  return {
    sheets,
    is1904,
    sharedStrings: partOf(related, 'sharedStrings'),
    styles: partOf(related, 'styles')
  }
}

const entryOf = (name = '', state: string | undefined, part: string): SheetEntry => ({
  name: name.slice(0, longestName),
  isHidden: state === 'hidden' || state === 'veryHidden',
  part
})

const partOf = (related: Relationship[], type: string) => related.find((each) => each.type === type)?.target

/** The main part, which may have any name. */
async function mainPart(archive: Archive): Promise<string> {
  const named = partOf(await relationshipsOf(archive, ''), 'officeDocument') ?? 'xl/workbook.xml'
  if (named.endsWith('.bin')) refuse('is-xlsb')
  if (!archive.has(named) || /^(word|ppt|visio)\//.test(named)) refuse('not-a-workbook')
  return named
}
