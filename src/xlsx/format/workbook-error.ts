/** Reasons why a workbook cannot be read. */
export type WorkbookErrorCode =
  | 'empty-file'
  | 'not-a-workbook'
  | 'is-csv'
  | 'is-ods'
  | 'is-xls'
  | 'is-xlsb'
  | 'encrypted'
  | 'damaged'
  | 'unsafe-content'
  | 'no-sheets'
  | 'file-too-large'
  | 'unpacked-too-large'
  | 'too-many-parts'
  | 'too-many-sheets'
  | 'too-many-rows'
  | 'too-many-cells'
  | 'text-too-long'
  | 'too-much-text'
  | 'too-slow'
  | 'too-much-memory'
  | 'reader-failed'

/** The location in the file, only by numbers, because its texts are untrusted. */
export interface WorkbookLocation {
  /** From 1. */
  sheet: number
  /** 0 before the first row. */
  row?: number
  /** Address such as C7. */
  cell?: string
}

/** An error as plain data, to send between processes. */
export interface WorkbookErrorDetails {
  code: WorkbookErrorCode
  limit?: number
  location?: WorkbookLocation
}

/** A workbook that cannot be read. The module `excel` has texts for each code. */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError'

  constructor(
    readonly details: WorkbookErrorDetails,
    cause?: unknown
  ) {
    super(details.code, { cause })
  }
}

/** @throws WorkbookError */
export function throwWorkbookError(
  code: WorkbookErrorCode,
  details: Omit<WorkbookErrorDetails, 'code'> = {}
): never {
  throw new WorkbookError({ code, ...details })
}
