import { posix } from 'node:path'
import type { Archive } from './archive.js'
import type { WorkbookLimits } from './limits.js'
import { throwWorkbookError } from './workbook-error.js'
import { parseXmlBoolean, prefixedAttribute, readXml } from './xml.js'

export interface SheetEntry {
  name: string
  isHidden: boolean
  /** The part with the cells of the sheet. */
  part: string
}

export interface WorkbookPart {
  sheets: SheetEntry[]
  /** Whether dates count from 1904. */
  is1904: boolean
  sharedStrings: string | undefined
  styles: string | undefined
}

/** Maximum number of characters of the name of a sheet. Excel allows 31. */
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
      if (element === 'workbookPr') is1904 = parseXmlBoolean(attributes.date1904)
      if (element !== 'sheet') return
      const target = related.find(({ id }) => id === prefixedAttribute(attributes, 'id'))
      if (target?.type !== 'worksheet') return
      if (sheets.length === limits.sheets) throwWorkbookError('too-many-sheets', { limit: limits.sheets })
      sheets.push(entryOf(attributes.name, attributes.state, target.target))
    }
  })
  const lost = sheets.find(({ part }) => !archive.has(part))
  if (lost) throwWorkbookError('damaged')
  if (sheets.length === 0) throwWorkbookError('no-sheets')
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
  if (named.endsWith('.bin')) throwWorkbookError('is-xlsb')
  if (!archive.has(named) || /^(word|ppt|visio)\//.test(named)) throwWorkbookError('not-a-workbook')
  return named
}

interface Relationship {
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
 * Reads the relationships of a part, or of the package if the part is '' (ECMA-376 part 2, 6.5),
 * without external ones.
 */
async function relationshipsOf(archive: Archive, part: string): Promise<Relationship[]> {
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
