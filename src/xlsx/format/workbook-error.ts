/*
 * The messages are for the person who uploaded the file. They say what to do next and never quote
 * the file. {limit} is replaced with the limit that was exceeded.
 */
const saveAsXlsx =
  'in Excel choose File, Save As, “Excel Workbook (*.xlsx)”; in LibreOffice choose File, Save As, “Excel 2007–365 (.xlsx)”'

const gemSomXlsx =
  'i Excel vælg Filer, Gem som, “Excel-projektmappe (*.xlsx)”; i LibreOffice vælg Filer, Gem som, “Excel 2007–365 (.xlsx)”'

/** A text in each language. */
export interface Texts {
  readonly en: string
  readonly da: string
}

const messages = {
  'empty-file': {
    en: 'The file is empty. Check that it was saved and choose it again.',
    da: 'Filen er tom. Kontrollér, at den er gemt, og vælg den igen.'
  },
  'not-a-workbook': {
    en: `The file is not an Excel workbook. Open it in the program that created it and save it as .xlsx: ${saveAsXlsx}.`,
    da: `Det er ikke en Excel-fil. Åbn den i det program, den er lavet i, og gem den som .xlsx: ${gemSomXlsx}.`
  },
  'is-csv': {
    en: `The file is plain text (such as .csv), not an Excel workbook. Open it in Excel or LibreOffice and save it as .xlsx: ${saveAsXlsx}.`,
    da: `Det er en tekstfil (for eksempel .csv), ikke en Excel-fil. Åbn den i Excel eller LibreOffice, og gem den som .xlsx: ${gemSomXlsx}.`
  },
  'is-ods': {
    en: `The file is an OpenDocument file (such as .ods), not an Excel workbook. Open it and save it as .xlsx: ${saveAsXlsx}.`,
    da: `Filen er fra LibreOffice eller OpenOffice (for eksempel .ods), ikke fra Excel. Åbn den, og gem den som .xlsx: ${gemSomXlsx}.`
  },
  'is-xls': {
    en: `The file is in the old Excel format (.xls). Open it and save it as .xlsx: ${saveAsXlsx}.`,
    da: `Filen er fra en gammel Excel (.xls). Åbn den, og gem den som .xlsx: ${gemSomXlsx}.`
  },
  'is-xlsb': {
    en: `The file is a binary Excel workbook (.xlsb). Open it and save it as .xlsx: ${saveAsXlsx}.`,
    da: `Det er en binær Excel-fil (.xlsb). Åbn den, og gem den som .xlsx: ${gemSomXlsx}.`
  },
  encrypted: {
    en: 'The workbook is protected with a password. Open it in Excel, choose File, Info, Protect Workbook, “Encrypt with Password”, clear the password, save it and send it again.',
    da: 'Filen er beskyttet med adgangskode. Åbn den i Excel, vælg Filer, Oplysninger, Beskyt projektmappe, “Krypter med adgangskode”, fjern adgangskoden, gem filen, og send den igen.'
  },
  damaged: {
    en: 'The file is damaged or incomplete. Open it in Excel or LibreOffice, save it as .xlsx again and send the new file.',
    da: 'Filen er beskadiget eller ikke hel. Åbn den i Excel eller LibreOffice, gem den som .xlsx igen, og send den nye fil.'
  },
  'unsafe-content': {
    en: 'The workbook contains a DOCTYPE declaration, which is not allowed. Open it in Excel or LibreOffice, save it as .xlsx again and send the new file.',
    da: 'Filen indeholder en DOCTYPE, som ikke er tilladt. Åbn den i Excel eller LibreOffice, gem den som .xlsx igen, og send den nye fil.'
  },
  'no-sheets': {
    en: 'The workbook has no worksheets. Start from the template and fill in the rows of its sheets.',
    da: 'Filen har ingen ark. Begynd med skabelonen, og udfyld rækkerne i dens ark.'
  },
  'file-too-large': {
    en: 'The file is larger than {limit} bytes. Send fewer rows at a time.',
    da: 'Filen er større end {limit} byte. Send færre rækker ad gangen.'
  },
  'unpacked-too-large': {
    en: 'The workbook is larger than {limit} bytes when unpacked. Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
    da: 'Filen er større end {limit} byte, når den er pakket ud. Kopiér rækkerne til en ny, tom projektmappe, og send den, eller send færre rækker ad gangen.'
  },
  'too-many-parts': {
    en: 'The workbook has more than {limit} parts. Remove pictures and other objects, or copy the rows into a new, empty workbook.',
    da: 'Filen har mere end {limit} dele. Fjern billeder og andre objekter, eller kopiér rækkerne til en ny, tom projektmappe.'
  },
  'too-many-sheets': {
    en: 'The workbook has more than {limit} sheets. Remove the sheets that are not needed.',
    da: 'Filen har mere end {limit} ark. Fjern de ark, der ikke er brug for.'
  },
  'too-many-rows': {
    en: 'A sheet has more than {limit} non-empty rows. Send fewer rows at a time.',
    da: 'Et ark har mere end {limit} udfyldte rækker. Send færre rækker ad gangen.'
  },
  'too-many-cells': {
    en: 'The workbook has more than {limit} non-empty cells. Send fewer rows at a time.',
    da: 'Filen har mere end {limit} udfyldte celler. Send færre rækker ad gangen.'
  },
  'text-too-long': {
    en: 'A cell has more than {limit} characters. Shorten its text.',
    da: 'En celle har mere end {limit} tegn. Gør teksten kortere.'
  },
  'too-much-text': {
    en: 'The texts of the workbook have more than {limit} characters in total. Send fewer rows at a time.',
    da: 'Filens tekster har mere end {limit} tegn i alt. Send færre rækker ad gangen.'
  },
  'too-slow': {
    en: 'Reading the workbook took longer than {limit} milliseconds. Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
    da: 'Det tog mere end {limit} millisekunder at læse filen. Kopiér rækkerne til en ny, tom projektmappe, og send den, eller send færre rækker ad gangen.'
  },
  'too-much-memory': {
    en: 'The workbook is too large or too complex to read. Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
    da: 'Filen er for stor eller for indviklet at læse. Kopiér rækkerne til en ny, tom projektmappe, og send den, eller send færre rækker ad gangen.'
  },
  'reader-failed': {
    en: 'The workbook could not be read. Try again, and contact support if it happens again.',
    da: 'Filen kunne ikke læses. Prøv igen, og kontakt support, hvis det sker igen.'
  }
} as const satisfies Record<string, Texts>

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
    super(textsOf(details).en, { cause })
  }

  get code(): WorkbookErrorCode {
    return this.details.code
  }

  /** The message in each language. */
  get texts(): Texts {
    return textsOf(this.details)
  }
}

function textsOf({ code, limit = 0, location }: WorkbookErrorDetails): Texts {
  const { en, da } = messages[code]
  const [inEnglish, inDanish] = location
    ? [` (Found at ${location}.)`, ` (Fundet i ${inDanishOf(location)}.)`]
    : ['', '']
  return {
    en: en.replace('{limit}', limit.toLocaleString('en-US')) + inEnglish,
    da: da.replace('{limit}', limit.toLocaleString('da')) + inDanish
  }
}

const placeNames = {
  'before the first': 'før den første',
  after: 'efter',
  sheet: 'ark',
  cell: 'celle',
  row: 'række'
}

const inDanishOf = (location: string) =>
  Object.entries(placeNames).reduce((text, [en, da]) => text.replace(en, da), location)

/** @throws WorkbookError */
export function fail(code: WorkbookErrorCode, details: Omit<WorkbookErrorDetails, 'code'> = {}): never {
  throw new WorkbookError({ code, ...details })
}
