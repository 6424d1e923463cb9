/**
 * Unique names for sheets that Excel accepts: at most 31 characters, none of them reserved.
 * @param taken the name of another sheet in the workbook.
 */
export function uniqueSheetNames(sheets: readonly { name: string }[], taken: string): string[] {
  const used = new Set(['history', '', taken.toLowerCase()])
  return sheets.map(({ name }, at) => {
    const usable = usableName(name)
    const unique = used.has(usable.toLowerCase()) ? numbered(at + 1, used) : usable
    used.add(unique.toLowerCase())
    return unique
  })
}

const usableName = (name: string) =>
  name
    // Excel accepts an exclamation mark, but exceljs cannot link to such a sheet.
    .replace(/[*?:\\/[\]!]/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold them
    .replace(/[\u0000-\u001f\ufffe\uffff]/g, ' ')
    .replace(/^'|'$/g, ' ')
    .slice(0, 31)
    .toWellFormed()
    .trim()

function numbered(number: number, used: ReadonlySet<string>): string {
  const name = `Sheet ${number}`
  return used.has(name.toLowerCase()) ? numbered(number + 1, used) : name
}
