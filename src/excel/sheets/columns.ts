/** The languages in which workbooks are written; they are read in either. */
export const languages = ['en', 'da'] as const
export type Language = (typeof languages)[number]
type Words = Readonly<Record<Language, string>>

/** Where the drop-down list of a column comes from. */
export type ListName =
  | 'catalogue-status'
  | 'catalogue-item-status'
  | 'service-type'
  | 'seller'
  | 'buyer'
  | 'annotation-name'
  | 'annotation-value'

/** A column of a sheet. */
export interface Column {
  /** The member that it holds, as in a pointer: `identifiers/0/value`. */
  key: string
  header: Words
  /** What belongs there, for the person who fills it in. */
  about: Words
  /** Characters. */
  width: number
  isRequired?: boolean
  list?: ListName
  example: string
}

/** A sheet whose rows are read and written. */
export interface SheetTable {
  name: Words
  /** The member of the catalogue's content that its rows hold. */
  member: SheetMember
  columns: readonly Column[]
}
export type SheetMember = 'catalogue' | 'devices' | 'services' | 'annotations'

/** Identifiers that an item has in a new workbook; one that has more gets more columns. */
export const usualIdentifiers = 2

const note: Column = {
  key: 'note',
  header: { en: 'Note', da: 'Bemærkning' },
  about: {
    en: 'For yourself: it is not imported. A row that says EXAMPLE here is skipped.',
    da: 'Til dig selv: den bliver ikke indlæst. En række, hvor der står EKSEMPEL, springes over.'
  },
  width: 14,
  example: ''
}

/** What the note of a row says that is not meant. */
export const exampleMark: Words = { en: 'EXAMPLE', da: 'EKSEMPEL' }

const identifierColumns = (count: number, example: string): Column[] =>
  Array.from({ length: count }, (_, at): Column[] => [
    {
      key: `identifiers/${at}/system`,
      header: { en: `Identifier system ${at + 1}`, da: `Identifikatorsystem ${at + 1}` },
      about: {
        en: 'Who gives out the identifier, as a URI; for instance urn:gtin, or the address of your own item list.',
        da: 'Hvem der udsteder identifikatoren, som en URI; fx urn:gtin eller adressen på jeres egen vareliste.'
      },
      width: 24,
      example: at === 0 ? 'urn:example:item-number' : ''
    },
    {
      key: `identifiers/${at}/value`,
      header: { en: `Identifier ${at + 1}`, da: `Identifikator ${at + 1}` },
      about: {
        en: 'The identifier itself, such as your item number. Rows are matched by it when a catalogue is updated.',
        da: 'Selve identifikatoren, fx jeres varenummer. Rækker findes igen ved den, når et katalog opdateres.'
      },
      width: 18,
      example: at === 0 ? example : ''
    },
    {
      key: `identifiers/${at}/assigner`,
      header: { en: `Identifier assigner ${at + 1}`, da: `Identifikator tildelt af ${at + 1}` },
      about: {
        en: 'The organization that gave the identifier, if that is of interest.',
        da: 'Den organisation, der har tildelt identifikatoren, hvis det har interesse.'
      },
      width: 18,
      example: ''
    }
  ]).flat()

const name = (example: string): Column => ({
  key: 'name',
  header: { en: 'Name', da: 'Navn' },
  about: { en: 'What it is called.', da: 'Hvad den hedder.' },
  width: 32,
  isRequired: true,
  example
})

const description = (example: string): Column => ({
  key: 'description',
  header: { en: 'Description', da: 'Beskrivelse' },
  about: { en: 'What those who order should know.', da: 'Hvad de, der bestiller, bør vide.' },
  width: 40,
  example
})

const itemStatus: Column = {
  key: 'status',
  header: { en: 'Status', da: 'Status' },
  about: {
    en: 'Chosen from the list. Empty: it can be ordered (AVAILABLE).',
    da: 'Vælges fra listen. Tom: den kan bestilles (AVAILABLE).'
  },
  width: 16,
  list: 'catalogue-item-status',
  example: 'AVAILABLE'
}

const catalogueColumns = (identifiers: number): Column[] => [
  note,
  name('Home monitoring devices'),
  {
    key: 'seller',
    header: { en: 'Seller', da: 'Leverandør' },
    about: {
      en: 'The party that delivers: its name, or its URL where several have the name.',
      da: 'Den part, der leverer: dens navn, eller dens URL hvis flere har navnet.'
    },
    width: 32,
    isRequired: true,
    list: 'seller',
    example: 'Medico Aps'
  },
  {
    key: 'status',
    header: { en: 'Status', da: 'Status' },
    about: {
      en: 'Chosen from the list. Items can be ordered out of an ACTIVE catalogue alone. Empty: DRAFT.',
      da: 'Vælges fra listen. Der kan kun bestilles fra et katalog, der er ACTIVE. Tom: DRAFT.'
    },
    width: 16,
    list: 'catalogue-status',
    example: 'DRAFT'
  },
  ...identifierColumns(identifiers, 'HOME-2026')
]

const deviceColumns = (identifiers: number): Column[] => [
  note,
  ...identifierColumns(identifiers, '00123'),
  name('Blood pressure monitor'),
  {
    key: 'manufacturer',
    header: { en: 'Manufacturer', da: 'Fabrikant' },
    about: { en: 'Who makes it.', da: 'Hvem der fremstiller det.' },
    width: 22,
    isRequired: true,
    example: 'A&D'
  },
  {
    key: 'model',
    header: { en: 'Model', da: 'Model' },
    about: { en: 'The manufacturer’s model.', da: 'Fabrikantens model.' },
    width: 22,
    isRequired: true,
    example: 'UA-767PBT-Ci'
  },
  {
    key: 'version',
    header: { en: 'Version', da: 'Version' },
    about: { en: 'The version of the model, if it has one.', da: 'Modellens version, hvis den har en.' },
    width: 12,
    example: '2'
  },
  description('Upper arm, Bluetooth, cuff M'),
  itemStatus
]

const serviceColumns = (identifiers: number): Column[] => [
  note,
  ...identifierColumns(identifiers, 'S-07'),
  name('Replacement of a blood pressure monitor'),
  {
    key: 'serviceType',
    header: { en: 'Service type', da: 'Ydelsestype' },
    about: { en: 'Chosen from the list.', da: 'Vælges fra listen.' },
    width: 18,
    isRequired: true,
    list: 'service-type',
    example: 'REPLACE'
  },
  {
    key: 'relatedTo/system',
    header: { en: 'For device: identifier system', da: 'Til udstyr: identifikatorsystem' },
    about: {
      en: 'Who gives out the identifier in the next column. May be empty where no other device has that identifier.',
      da: 'Hvem der udsteder identifikatoren i næste kolonne. Kan være tom, hvis intet andet udstyr har identifikatoren.'
    },
    width: 24,
    example: 'urn:example:item-number'
  },
  {
    key: 'relatedTo/value',
    header: { en: 'For device: identifier', da: 'Til udstyr: identifikator' },
    about: {
      en: 'The identifier of the device that the service is for, in this workbook or another catalogue of the seller. Empty: for any.',
      da: 'Identifikatoren på det udstyr, ydelsen gælder, i denne fil eller i et andet katalog fra leverandøren. Tom: for alt.'
    },
    width: 22,
    example: '00123'
  },
  description('The old one is taken along.'),
  itemStatus
]

const annotationColumns: readonly Column[] = [
  note,
  {
    key: 'item/system',
    header: { en: 'Item: identifier system', da: 'Vare: identifikatorsystem' },
    about: {
      en: 'Who gives out the identifier in the next column. May be empty where no other item has that identifier.',
      da: 'Hvem der udsteder identifikatoren i næste kolonne. Kan være tom, hvis ingen anden vare har identifikatoren.'
    },
    width: 24,
    example: 'urn:example:item-number'
  },
  {
    key: 'item/value',
    header: { en: 'Item: identifier', da: 'Vare: identifikator' },
    about: {
      en: 'The identifier of a device or service of this catalogue.',
      da: 'Identifikatoren på udstyr eller en ydelse i dette katalog.'
    },
    width: 22,
    isRequired: true,
    example: '00123'
  },
  {
    key: 'buyer',
    header: { en: 'Buyer', da: 'Køber' },
    about: {
      en: 'The buyer of your organization: its name, or its URL where several have the name.',
      da: 'Køberen i din organisation: dens navn, eller dens URL hvis flere har navnet.'
    },
    width: 32,
    isRequired: true,
    list: 'buyer',
    example: 'Region'
  },
  {
    key: 'name',
    header: { en: 'Annotation', da: 'Annotering' },
    about: {
      en: 'Chosen from the list, or a name of your own.',
      da: 'Vælges fra listen, eller et navn efter eget valg.'
    },
    width: 32,
    isRequired: true,
    list: 'annotation-name',
    example: 'ehealth/device-type'
  },
  {
    key: 'value',
    header: { en: 'Value', da: 'Værdi' },
    about: {
      en: 'Chosen from the list (the sheet Codes says which values a name has), or written as system|code.',
      da: 'Vælges fra listen (arket Koder viser, hvilke værdier et navn har), eller skrives som system|kode.'
    },
    width: 36,
    isRequired: true,
    list: 'annotation-value',
    example: 'urn:example:system|code'
  }
]

/**
 * The sheets with their columns: what template, import, export and the documentation have in common.
 * @param identifiers how many identifiers a row has room for.
 */
export const sheetTables = (identifiers: number): Readonly<Record<SheetMember, SheetTable>> => ({
  catalogue: {
    name: { en: 'Catalogue', da: 'Katalog' },
    member: 'catalogue',
    columns: catalogueColumns(identifiers)
  },
  devices: { name: { en: 'Devices', da: 'Udstyr' }, member: 'devices', columns: deviceColumns(identifiers) },
  services: {
    name: { en: 'Services', da: 'Ydelser' },
    member: 'services',
    columns: serviceColumns(identifiers)
  },
  annotations: {
    name: { en: 'Annotations', da: 'Annoteringer' },
    member: 'annotations',
    columns: annotationColumns
  }
})

/** The sheet that feeds the drop-down lists. */
export const codesSheet: Words = { en: 'Codes', da: 'Koder' }
