import type { Archive } from './archive.js'
import type { WorkbookLimits } from './limits.js'
import { type Relationship, relationshipsOf } from './relationships.js'
import { fail } from './workbook-error.js'
import { isTrue, prefixedAttribute, readXml } from './xml.js'

/** A sheet as the workbook lists it. */
export interface SheetEntry {
  name: string
  isHidden: boolean
  /** The part that holds its cells. */
  part: string
}

/** The content of the main part. */
export interface WorkbookPart {
  sheets: SheetEntry[]
  /** Whether dates count from 1904. */
  is1904: boolean
  sharedStrings: string | undefined
  styles: string | undefined
}

/** Characters kept of the name of a sheet. Excel allows 31. */
const MAX_NAME_CHARACTERS = 255

/**
 * Reads the list of worksheets in tab order. Chart sheets and the like are left out.
 * @throws WorkbookError
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
      const target = related.find(({ id }) => id === prefixedAttribute(attributes, 'id'))
      if (target?.type !== 'worksheet') return
      if (sheets.length === limits.sheets) fail('too-many-sheets', { limit: limits.sheets })
      sheets.push(entryOf(attributes.name, attributes.state, target.target))
    }
  })
  const lost = sheets.find(({ part }) => !archive.has(part))
  if (lost) fail('damaged')
  if (sheets.length === 0) fail('no-sheets')
  return {
    sheets,
    is1904,
    sharedStrings: partOf(related, 'sharedStrings'),
    styles: partOf(related, 'styles')
  }
}

const entryOf = (name = '', state: string | undefined, part: string): SheetEntry => ({
  name: name.slice(0, MAX_NAME_CHARACTERS),
  isHidden: state === 'hidden' || state === 'veryHidden',
  part
})

const partOf = (related: Relationship[], type: string) => related.find((each) => each.type === type)?.target

/** Finds the main part, which may have any name. */
async function mainPart(archive: Archive): Promise<string> {
  const named = partOf(await relationshipsOf(archive, ''), 'officeDocument') ?? 'xl/workbook.xml'
  if (named.endsWith('.bin')) fail('is-xlsb')
  if (!archive.has(named) || /^(word|ppt|visio)\//.test(named)) fail('not-a-workbook')
  return named
}
