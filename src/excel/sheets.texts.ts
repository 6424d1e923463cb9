import type { LocalizedText, Texts } from '../platform/errors/language.js'

export const sheetNames = {
  instructions: { en: 'Instructions', da: 'Vejledning' },
  catalogue: { en: 'Catalogue', da: 'Katalog' },
  devices: { en: 'Devices', da: 'Udstyr' },
  services: { en: 'Services', da: 'Ydelser' },
  annotations: { en: 'Annotations', da: 'Annoteringer' },
  whiteList: { en: 'White list', da: 'Positivliste' },
  codes: { en: 'Codes', da: 'Koder' }
} as const satisfies Texts

/** The note of an example row, which is skipped on import. */
export const exampleMark = { en: 'EXAMPLE', da: 'EKSEMPEL' } as const

const chooseFromList = { en: 'Choose from the list.', da: 'Vælges fra listen.' } as const

/** The header of each column, and the comment that says what to fill in. */
export const columnTexts = {
  note: {
    header: { en: 'Note', da: 'Bemærkning' },
    comment: {
      en: `For your own use; not imported. A row with ${exampleMark.en} here is skipped.`,
      da: `Til eget brug; bliver ikke indlæst. En række, hvor der står ${exampleMark.da}, springes over.`
    }
  },
  name: {
    header: { en: 'Name', da: 'Navn' },
    comment: { en: 'The name.', da: 'Navnet.' }
  },
  description: {
    header: { en: 'Description', da: 'Beskrivelse' },
    comment: { en: 'Information for the buyers who order.', da: 'Oplysninger til købere, der bestiller.' }
  },
  identifierSystem: {
    header: { en: 'Identifier system {number}', da: 'Identifikatorsystem {number}' },
    comment: {
      en: 'The issuer of the identifier, as a URI; for instance urn:gtin, or the address of your own item list. May be empty for an item: it is then that of the catalogue’s first identifier.',
      da: 'Hvem der udsteder identifikatoren, som en URI; fx urn:gtin eller adressen på jeres egen vareliste. Kan være tom for en vare: så er det den samme som for katalogets første identifikator.'
    }
  },
  identifierValue: {
    header: { en: 'Identifier {number}', da: 'Identifikator {number}' },
    comment: {
      en: 'The identifier itself, such as your item number. Rows are matched by it when a catalogue is updated.',
      da: 'Selve identifikatoren, fx jeres varenummer. Rækkerne genkendes på den, når et katalog opdateres.'
    }
  },
  identifierAssigner: {
    header: { en: 'Identifier assigner {number}', da: 'Identifikator tildelt af {number}' },
    comment: {
      en: 'The organization that assigned the identifier, if relevant.',
      da: 'Den organisation, der har tildelt identifikatoren, hvis det er relevant.'
    }
  },
  seller: {
    header: { en: 'Seller', da: 'Leverandør' },
    comment: {
      en: 'The party that delivers: its name, or its URL if several parties have that name.',
      da: 'Den part, der leverer: dens navn, eller dens URL hvis flere har navnet.'
    }
  },
  catalogueStatus: {
    header: { en: 'Status', da: 'Status' },
    comment: {
      en: `${chooseFromList.en} Items can be ordered only from an active catalogue. Empty: a draft.`,
      da: `${chooseFromList.da} Der kan kun bestilles fra et aktivt katalog. Tomt felt: kladde.`
    }
  },
  itemStatus: {
    header: { en: 'Status', da: 'Status' },
    comment: {
      en: `${chooseFromList.en} Empty: it can be ordered.`,
      da: `${chooseFromList.da} Tomt felt: den kan bestilles.`
    }
  },
  manufacturer: {
    header: { en: 'Manufacturer', da: 'Fabrikant' },
    comment: { en: 'The manufacturer.', da: 'Fabrikanten.' }
  },
  model: {
    header: { en: 'Model', da: 'Model' },
    comment: { en: 'The manufacturer’s model.', da: 'Fabrikantens model.' }
  },
  version: {
    header: { en: 'Version', da: 'Version' },
    comment: { en: 'The version of the model, if it has one.', da: 'Modellens version, hvis den har en.' }
  },
  serviceType: { header: { en: 'Service type', da: 'Ydelsestype' }, comment: chooseFromList },
  deviceSystem: {
    header: { en: 'For device: identifier system', da: 'Til udstyr: identifikatorsystem' },
    comment: {
      en: 'The issuer of the identifier in the next column. May be empty if no other device has that identifier.',
      da: 'Hvem der udsteder identifikatoren i næste kolonne. Kan være tom, hvis intet andet udstyr har identifikatoren.'
    }
  },
  deviceIdentifier: {
    header: { en: 'For device: identifier', da: 'Til udstyr: identifikator' },
    comment: {
      en: 'The identifier of the device that the service is for, in this workbook or another catalogue of the seller. Empty: for any.',
      da: 'Identifikatoren på det udstyr, ydelsen gælder, i denne fil eller i et andet katalog fra leverandøren. Tomt felt: alt udstyr.'
    }
  },
  itemSystem: {
    header: { en: 'Item: identifier system', da: 'Vare: identifikatorsystem' },
    comment: {
      en: 'The issuer of the identifier in the next column. May be empty if no other item has that identifier.',
      da: 'Hvem der udsteder identifikatoren i næste kolonne. Kan være tom, hvis ingen anden vare har identifikatoren.'
    }
  },
  itemIdentifier: {
    header: { en: 'Item: identifier', da: 'Vare: identifikator' },
    comment: {
      en: 'The identifier of a device or service of this catalogue.',
      da: 'Identifikatoren på udstyr eller en ydelse i dette katalog.'
    }
  },
  buyer: {
    header: { en: 'Buyer', da: 'Køber' },
    comment: {
      en: 'The buyer, of your organization or registered by it: its name, or its URL if several parties have that name.',
      da: 'Køberen, i din organisation eller oprettet af den: dens navn, eller dens URL hvis flere har navnet.'
    }
  },
  annotationName: {
    header: { en: 'Annotation', da: 'Annotering' },
    comment: {
      en: 'Choose from the list, or use a name of your own.',
      da: 'Vælges fra listen, eller et navn efter eget valg.'
    }
  },
  annotationValue: {
    header: { en: 'Value', da: 'Værdi' },
    comment: {
      en: 'Choose from the list (the sheet Codes shows the values of each name), or write system|code.',
      da: 'Vælges fra listen (arket Koder viser, hvilke værdier et navn har), eller skrives som system|kode.'
    }
  }
} as const satisfies Readonly<Record<string, { header: LocalizedText; comment: LocalizedText }>>

export const exampleTexts = {
  catalogueName: { en: 'Home monitoring devices', da: 'Måleudstyr til hjemmet' },
  deviceName: { en: 'Blood pressure monitor', da: 'Blodtryksmåler' },
  deviceDescription: { en: 'Upper arm, Bluetooth, cuff M', da: 'Overarm, Bluetooth, manchet M' },
  serviceName: { en: 'Replacement of a blood pressure monitor', da: 'Ombytning af blodtryksmåler' },
  serviceDescription: { en: 'The old one is taken along.', da: 'Den gamle tages med.' }
} as const satisfies Texts

/** Headers of the sheet with the codes: one for each drop-down list. */
export const listHeaders = {
  'catalogue-status': { en: 'Catalogue status', da: 'Katalogstatus' },
  'catalogue-item-status': { en: 'Item status', da: 'Varestatus' },
  'service-type': columnTexts.serviceType.header,
  seller: columnTexts.seller.header,
  buyer: columnTexts.buyer.header,
  'annotation-name': columnTexts.annotationName.header,
  'annotation-value': columnTexts.annotationValue.header
} as const satisfies Texts

/** Headers of the sheet with the codes, for the values of each annotation name. */
export const annotationValueHeaders: readonly LocalizedText[] = [
  { en: 'Values of an annotation', da: 'Værdier af en annotering' },
  columnTexts.annotationValue.header,
  { en: 'system|code', da: 'system|kode' }
]

export const instructionTexts = {
  title: { en: 'How to fill in this workbook', da: 'Sådan udfyldes filen' },
  required: { en: 'yes', da: 'ja' }
} as const satisfies Texts

export const instructionSteps: readonly LocalizedText[] = [
  {
    en: 'Fill in one row in the sheet of the catalogue: its name and its seller.',
    da: 'Udfyld én række i arket med kataloget: dets navn og dets leverandør.'
  },
  {
    en: 'Fill in a row for each device and each service. Columns with a star must be filled in.',
    da: 'Udfyld en række for hvert stykke udstyr og for hver ydelse. Kolonner med en stjerne skal udfyldes.'
  },
  {
    en: 'Give each item an identifier, such as your item number. Rows are matched by it in later updates.',
    da: 'Giv hver vare en identifikator, fx jeres varenummer. Rækkerne genkendes på den, når kataloget senere opdateres.'
  },
  {
    en: 'A row that is left out is not removed. Set its status to stop orders of it.',
    da: 'En række, der udelades, bliver ikke fjernet. Sæt dens status, hvis varen ikke længere må bestilles.'
  },
  {
    en: 'Keep the names of sheets and the headers. Sheets, columns and rows may be in any order.',
    da: 'Lad arkenes navne og overskrifterne stå. Ark, kolonner og rækker kan stå i en hvilken som helst rækkefølge.'
  },
  {
    en: `A row with ${exampleMark.en} in its first column is an example, which is not imported.`,
    da: `En række, hvor der står ${exampleMark.da} i første kolonne, er et eksempel, som ikke indlæses.`
  },
  {
    en: 'Write numbers with leading zeros as text: the cells are formatted for it. Do not use dates.',
    da: 'Skriv numre med foranstillede nuller som tekst: cellerne er formateret til det. Brug ikke datoer.'
  },
  {
    en: 'Check the workbook on the upload page before you import it. The page shows faults and changes.',
    da: 'Kontrollér filen på siden til indlæsning, før du indlæser den. Siden viser fejl og ændringer.'
  }
]

export const instructionHeaders: readonly LocalizedText[] = [
  { en: 'Sheet', da: 'Ark' },
  { en: 'Column', da: 'Kolonne' },
  { en: 'Required', da: 'Skal udfyldes' },
  { en: 'What to fill in', da: 'Hvad der skal stå' }
]
