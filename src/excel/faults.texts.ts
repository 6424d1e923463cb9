import type { LocalizedText, Texts } from '../platform/errors/language.js'
import { sheetNames } from './sheets.texts.js'

const asText = {
  en: 'Format the cell as text and enter the value again.',
  da: 'Formatér cellen som tekst, og skriv værdien igen.'
} as const
const { catalogue, devices, services } = sheetNames

/** The remedy for a fault of a workbook, by its code, or its code and the name of a detail. */
export const workbookFaults = {
  'missing-sheet.catalogue': {
    en: `Add a sheet named “${catalogue.en}” (Danish: “${catalogue.da}”).`,
    da: `Arket mangler, eller det har fået et andet navn. Sæt et ark ind med navnet »${catalogue.da}« (engelsk: »${catalogue.en}«).`
  },
  'missing-sheet.items': {
    en: `Add a sheet named “${devices.en}” (Danish: “${devices.da}”) or “${services.en}” (Danish: “${services.da}”).`,
    da: `Arket mangler, eller det har fået et andet navn. Sæt et ark ind med navnet »${devices.da}« (engelsk: »${devices.en}«) eller »${services.da}« (engelsk: »${services.en}«).`
  },
  'second-sheet': {
    en: 'The workbook also has the sheet {name}. Remove one of them.',
    da: 'Filen har også arket {name}. Fjern det ene.'
  },
  'hidden-sheet': {
    en: 'The sheet is hidden. Show it, or delete it.',
    da: 'Arket er skjult. Vis det, eller slet det.'
  },
  'sheet-not-allowed': {
    en: 'Only buyers have annotations and white lists. Delete the sheet.',
    da: 'Kun købere har annoteringer og positivlister. Slet arket.'
  },
  'too-many-items': {
    en: 'A workbook can have at most {max} items; this one has {count}. Delete rows that you did not change, or import it in parts. Items without a row are not changed.',
    da: 'En fil må højst have {max} varer; denne har {count}. Slet de rækker, du ikke har ændret, eller indlæs den i flere dele. Varer uden en række bliver ikke ændret.'
  },
  'no-headers': {
    en: 'The first rows have no headers. Required: {headers}.',
    da: 'De første rækker har ingen overskrifter. Der skal stå: {headers}.'
  },
  'missing-column': {
    en: 'Add a column with the header “{en}” (Danish: “{da}”).',
    da: 'Kolonnen mangler, eller dens overskrift er ændret. Sæt en kolonne ind med overskriften »{da}« (engelsk: »{en}«).'
  },
  'duplicate-header': {
    en: '{first} has the same header. Remove one of the columns.',
    da: '{first} har den samme overskrift. Fjern den ene kolonne.'
  },
  'too-many-columns': {
    en: 'The sheet has too many columns. Remove those that are not needed.',
    da: 'Arket har for mange kolonner. Fjern dem, der ikke skal bruges.'
  },
  'value-without-header': {
    en: 'Give the column a header, or clear the cell.',
    da: 'Giv kolonnen en overskrift, eller tøm cellen.'
  },
  'no-catalogue': {
    en: 'Fill in a row for the catalogue: its name and its seller.',
    da: 'Udfyld en række for kataloget: dets navn og dets leverandør.'
  },
  'second-catalogue': {
    en: 'A workbook has one catalogue. Remove the row.',
    da: 'Der er ét katalog i en fil. Fjern rækken.'
  },
  'date-for-text': {
    en: `The cell contains a date instead of a text. ${asText.en}`,
    da: `I cellen står en dato, hvor der skal stå tekst. ${asText.da}`
  },
  'boolean-for-text': {
    en: `The cell contains TRUE or FALSE instead of a text. ${asText.en}`,
    da: `I cellen står SAND eller FALSK, hvor der skal stå tekst. ${asText.da}`
  },
  'number-for-text': {
    en: `Excel does not keep all digits of this number. ${asText.en}`,
    da: `Excel husker ikke alle cifre i dette tal. ${asText.da}`
  },
  'number-for-text.formatted': {
    en: 'The number format of the cell shows another text than its value, {value}. Format the cell as text and enter the intended text.',
    da: 'Cellens talformat viser en anden tekst end cellens værdi, {value}. Formatér cellen som tekst, og skriv den ønskede tekst.'
  },
  'error-value': {
    en: 'The formula in the cell has no result. Replace it with the value.',
    da: 'Formlen i cellen har intet resultat. Skriv værdien i stedet for formlen.'
  },
  'formula-without-result': {
    en: 'The result of the formula was not saved. Open the file in Excel or LibreOffice and save it again, or replace the formula with the value.',
    da: 'Formlens resultat er ikke gemt. Åbn filen i Excel eller LibreOffice, og gem den igen, eller skriv værdien i stedet for formlen.'
  },
  'text-required': { en: 'Fill it in.', da: 'Udfyld cellen.' },
  'text-required.identifier': {
    en: 'Fill in the identifier, or clear its system.',
    da: 'Udfyld identifikatoren, eller tøm dens system.'
  },
  'text-too-long': {
    en: 'A text can have at most {max} characters, also after Unicode normalization (NFKD). Shorten it.',
    da: 'En tekst må højst være på {max} tegn, også efter Unicode-normalisering (NFKD). Gør den kortere.'
  },
  'unknown-coding': { en: 'It must be one of: {codes}.', da: 'Det skal være en af: {codes}.' },
  'unknown-coding.annotation': {
    en: 'Choose a value that the sheet Codes lists for this annotation, or write system|code.',
    da: 'Vælg en værdi, som arket Koder viser for denne annotering, eller skriv system|kode.'
  },
  'invalid-name': {
    en: 'A name must not contain |, : or a line break.',
    da: 'Et navn må hverken indeholde |, : eller et linjeskift.'
  }
} as const satisfies Texts

export const faultListTexts = {
  sheetName: { en: 'Faults found', da: 'Fundne fejl' },
  wholeSheet: { en: 'the whole sheet', da: 'hele arket' },
  notCopied: {
    en: 'The workbook is too large to be copied here. Correct your own workbook.',
    da: 'Filen er for stor til at blive gengivet her. Ret din egen fil.'
  },
  firstListed: {
    en: 'The first {listed} of {total} faults are listed.',
    da: 'De første {listed} af {total} fejl er vist.'
  }
} as const satisfies Texts

export const faultListHeaders: readonly LocalizedText[] = [
  { en: 'Sheet', da: 'Ark' },
  { en: 'Cell', da: 'Celle' },
  { en: 'Column', da: 'Kolonne' },
  { en: 'What was found', da: 'Hvad der står' },
  { en: 'What to do', da: 'Hvad du skal gøre' }
]
