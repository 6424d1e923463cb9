/**
 * Placeholder for the date format of the user's region, whose order of day and month is unknown.
 */
const DATE = 'yyyy-mm-dd'

const isRegionalDate = (id: number) =>
  id === 14 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) || (id >= 71 && id <= 81)

/** The codes of the number formats that files refer to only by an id (ECMA-376 part 1, 18.8.30). */
export const builtInFormats: ReadonlyMap<number, string> = new Map([
  ...Array.from({ length: 82 }, (_, id) => [id, DATE] as const).filter(([id]) => isRegionalDate(id)),
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [5, '$#,##0_);($#,##0)'],
  [6, '$#,##0_);[Red]($#,##0)'],
  [7, '$#,##0.00_);($#,##0.00)'],
  [8, '$#,##0.00_);[Red]($#,##0.00)'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, `${DATE} hh:mm`],
  [37, '#,##0_);(#,##0)'],
  [38, '#,##0_);[Red](#,##0)'],
  [39, '#,##0.00_);(#,##0.00)'],
  [40, '#,##0.00_);[Red](#,##0.00)'],
  [41, '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)'],
  [42, '_($* #,##0_);_($* (#,##0);_($* "-"_);_(@_)'],
  [43, '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)'],
  [44, '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
  [49, '@']
])
