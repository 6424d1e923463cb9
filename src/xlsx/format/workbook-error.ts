/*
 * The messages are for the person who uploaded the file. They say what to do next and never quote
 * the file. {limit} is replaced with the limit that was exceeded.
 */
const saveAsXlsx =
  'in Excel choose File, Save As, “Excel Workbook (*.xlsx)”; in LibreOffice choose File, Save As, “Excel 2007–365 (.xlsx)”'

const messages = {
  'empty-file': 'The file is empty. Check that it was saved and choose it again.',
  'not-a-workbook': `The file is not an Excel workbook. Open it in the program that created it and save it as .xlsx: ${saveAsXlsx}.`,
  'is-csv': `The file is plain text (such as .csv), not an Excel workbook. Open it in Excel or LibreOffice and save it as .xlsx: ${saveAsXlsx}.`,
  'is-ods': `The file is an OpenDocument file (such as .ods), not an Excel workbook. Open it and save it as .xlsx: ${saveAsXlsx}.`,
  'is-xls': `The file is in the old Excel format (.xls). Open it and save it as .xlsx: ${saveAsXlsx}.`,
  'is-xlsb': `The file is a binary Excel workbook (.xlsb). Open it and save it as .xlsx: ${saveAsXlsx}.`,
  encrypted:
    'The workbook is protected with a password. Open it in Excel, choose File, Info, Protect Workbook, “Encrypt with Password”, clear the password, save it and send it again.',
  damaged:
    'The file is damaged or incomplete. Open it in Excel or LibreOffice, save it as .xlsx again and send the new file.',
  'unsafe-content':
    'The workbook contains a DOCTYPE declaration, which is not allowed. Open it in Excel or LibreOffice, save it as .xlsx again and send the new file.',
  'no-sheets': 'The workbook has no worksheets. Start from the template and fill in the rows of its sheets.',
  'file-too-large': 'The file is larger than {limit} bytes. Send fewer rows at a time.',
  'unpacked-too-large':
    'The workbook is larger than {limit} bytes when unpacked. Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
  'too-many-parts':
    'The workbook has more than {limit} parts. Remove pictures and other objects, or copy the rows into a new, empty workbook.',
  'too-many-sheets': 'The workbook has more than {limit} sheets. Remove the sheets that are not needed.',
  'too-many-rows': 'A sheet has more than {limit} non-empty rows. Send fewer rows at a time.',
  'too-many-cells': 'The workbook has more than {limit} non-empty cells. Send fewer rows at a time.',
  'text-too-long': 'A cell has more than {limit} characters. Shorten its text.',
  'too-much-text':
    'The texts of the workbook have more than {limit} characters in total. Send fewer rows at a time.',
  'too-slow':
    'Reading the workbook took longer than {limit} milliseconds. Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
  'too-much-memory':
    'The workbook is too large or too complex to read. Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
  'reader-failed': 'The workbook could not be read. Try again, and contact support if it happens again.'
} as const satisfies Record<string, string>

/** Why a workbook cannot be read. */
export type WorkbookErrorCode = keyof typeof messages

/** An error as plain data, to send between processes. */
export interface WorkbookErrorDetails {
  code: WorkbookErrorCode
  /** The limit that was exceeded. */
  limit?: number
  /** Where in the file, by numbers only: “sheet 2, cell C7”. */
  location?: string
}

/**
 * A workbook that cannot be read. The message is for the person who uploaded it; `cause` is for the
 * log.
 */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError'

  constructor(
    readonly details: WorkbookErrorDetails,
    cause?: unknown
  ) {
    super(messageOf(details), { cause })
  }

  get code(): WorkbookErrorCode {
    return this.details.code
  }
}

function messageOf({ code, limit = 0, location }: WorkbookErrorDetails): string {
  const message = messages[code].replace('{limit}', limit.toLocaleString('en-US'))
  return location === undefined ? message : `${message} (Found at ${location}.)`
}

/** @throws WorkbookError */
export function fail(code: WorkbookErrorCode, details: Omit<WorkbookErrorDetails, 'code'> = {}): never {
  throw new WorkbookError({ code, ...details })
}
