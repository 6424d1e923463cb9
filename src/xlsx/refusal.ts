/*
 * The sentences are read by the clerk who sent the file. They say what to do next and never hold anything out of the file;
 * {limit} stands for the number that was passed.
 */
const saveAsXlsx =
  'in Excel choose File, Save As, “Excel Workbook (*.xlsx)”; in LibreOffice choose File, Save As, “Excel 2007–365 (.xlsx)”'

const sentences = {
  'empty-file': 'The file is empty. Check that it was saved and choose it again.',
  'not-a-workbook': `The file is not an Excel workbook. Open it in the program that it was made with and save it as .xlsx: ${saveAsXlsx}.`,
  'is-csv': `The file is plain text (such as .csv), not an Excel workbook. Open it in Excel or LibreOffice and save it as .xlsx: ${saveAsXlsx}.`,
  'is-ods': `The file is an OpenDocument file (such as .ods), not an Excel workbook. Open it and save it as .xlsx: ${saveAsXlsx}.`,
  'is-xls': `The file is in the old Excel format (.xls). Open it and save it as .xlsx: ${saveAsXlsx}.`,
  'is-xlsb': `The file is a binary Excel workbook (.xlsb). Open it and save it as .xlsx: ${saveAsXlsx}.`,
  encrypted:
    'The workbook is protected with a password. Open it in Excel, choose File, Info, Protect Workbook, “Encrypt with Password”, clear the password, save it and send it again.',
  damaged:
    'The file is damaged or was not sent completely. Open it in Excel or LibreOffice, save it as .xlsx again and send the new file.',
  'unsafe-content':
    'The workbook holds declarations (DOCTYPE) that do not belong in a workbook. Open it in Excel or LibreOffice, save it as .xlsx again and send the new file.',
  'no-sheets':
    'The workbook has no sheet with cells. Start from the template and fill in the rows of its sheets.',
  'file-too-large': 'The file is larger than the {limit} bytes that are allowed. Send fewer rows at a time.',
  'unpacked-too-large':
    'The workbook is larger than the {limit} bytes that it may have when it is unpacked. Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
  'too-many-parts':
    'The workbook consists of more than {limit} parts. Remove pictures and other objects, or copy the rows into a new, empty workbook.',
  'too-many-sheets': 'The workbook has more than {limit} sheets. Remove those that are not needed.',
  'too-many-rows': 'A sheet has more than {limit} rows that hold something. Send fewer rows at a time.',
  'too-many-cells':
    'The workbook has more than {limit} cells that hold something. Send fewer rows at a time.',
  'text-too-long': 'A cell holds more than {limit} characters. Shorten its text.',
  'too-much-text':
    'The texts of the workbook have more than {limit} characters in all. Send fewer rows at a time.',
  'too-slow':
    'Reading the workbook took longer than {limit} milliseconds. Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
  'too-much-memory':
    'The workbook is too large or too complicated to be read. Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
  'reader-failed': 'The workbook could not be read. Try again, and ask for help if it happens again.'
} as const satisfies Record<string, string>

/** Why a workbook is not read. */
export type RefusalCode = keyof typeof sentences

/** What is known of a refusal, in a form that can be sent from one process to another. */
export interface RefusalFacts {
  code: RefusalCode
  /** The limit that was passed. */
  limit?: number
  /** Where in the file, by number alone: “sheet 2, cell C7”. */
  place?: string
}

/** A workbook that is not read. The message is for the person who sent it; `cause` is for the log. */
export class WorkbookRefusal extends Error {
  override readonly name = 'WorkbookRefusal'

  constructor(
    readonly facts: RefusalFacts,
    cause?: unknown
  ) {
    super(sentenceOf(facts), { cause })
  }

  get code(): RefusalCode {
    return this.facts.code
  }
}

/** Every code there is, for those who map them. */
export const refusalCodes = Object.keys(sentences) as RefusalCode[]

function sentenceOf({ code, limit = 0, place }: RefusalFacts): string {
  const sentence = sentences[code].replace('{limit}', limit.toLocaleString('en-US'))
  return place === undefined ? sentence : `${sentence} (It was found at ${place}.)`
}

/** @throws WorkbookRefusal */
export function refuse(code: RefusalCode, details: Omit<RefusalFacts, 'code'> = {}, cause?: unknown): never {
  throw new WorkbookRefusal({ code, ...details }, cause)
}
