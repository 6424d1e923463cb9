import type { Column } from './columns.js'
import {
  descriptionColumn,
  identifierColumns,
  itemStatusColumn,
  nameColumn,
  noteColumn
} from './common-columns.js'

export const deviceColumns = (identifiers: number): Column[] => [
  noteColumn,
  nameColumn({ en: 'Blood pressure monitor', da: 'Blodtryksmåler' }),
  ...identifierColumns(identifiers, '00123'),
  {
    key: 'manufacturer',
    header: { en: 'Manufacturer', da: 'Fabrikant' },
    comment: { en: 'The manufacturer.', da: 'Hvem der fremstiller det.' },
    width: 22,
    isRequired: true,
    example: 'A&D'
  },
  {
    key: 'model',
    header: { en: 'Model', da: 'Model' },
    comment: { en: 'The manufacturer’s model.', da: 'Fabrikantens model.' },
    width: 22,
    isRequired: true,
    example: 'UA-767PBT-Ci'
  },
  {
    key: 'version',
    header: { en: 'Version', da: 'Version' },
    comment: { en: 'The version of the model, if it has one.', da: 'Modellens version, hvis den har en.' },
    width: 12,
    example: '2'
  },
  descriptionColumn({ en: 'Upper arm, Bluetooth, cuff M', da: 'Overarm, Bluetooth, manchet M' }),
  itemStatusColumn
]

export const serviceColumns = (identifiers: number): Column[] => [
  noteColumn,
  nameColumn({
    en: 'Replacement of a blood pressure monitor',
    da: 'Ombytning af blodtryksmåler'
  }),
  ...identifierColumns(identifiers, 'S-07'),
  {
    key: 'serviceType',
    header: { en: 'Service type', da: 'Ydelsestype' },
    comment: { en: 'Choose from the list.', da: 'Vælges fra listen.' },
    width: 18,
    isRequired: true,
    list: 'service-type',
    example: 'REPLACE'
  },
  {
    key: 'relatedTo/system',
    header: { en: 'For device: identifier system', da: 'Til udstyr: identifikatorsystem' },
    comment: {
      en: 'The issuer of the identifier in the next column. May be empty if no other device has that identifier.',
      da: 'Hvem der udsteder identifikatoren i næste kolonne. Kan være tom, hvis intet andet udstyr har identifikatoren.'
    },
    width: 24,
    example: 'urn:example:item-number'
  },
  {
    key: 'relatedTo/value',
    header: { en: 'For device: identifier', da: 'Til udstyr: identifikator' },
    comment: {
      en: 'The identifier of the device that the service is for, in this workbook or another catalogue of the seller. Empty: for any.',
      da: 'Identifikatoren på det udstyr, ydelsen gælder, i denne fil eller i et andet katalog fra leverandøren. Tom: for alt.'
    },
    width: 22,
    example: '00123'
  },
  descriptionColumn({ en: 'The old one is taken along.', da: 'Den gamle tages med.' }),
  itemStatusColumn
]
