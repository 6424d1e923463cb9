import { demoOrganizations } from '../../src/home/demo-people.js'

/*
 * The parties, contracts and receivers. Only the public bodies are real. Everything else is
 * invented.
 */

export type OrganizationKey = keyof typeof demoOrganizations
export type BuyerKey = 'region' | 'aarhus' | 'viborg'
export type SellerKey = 'maaneskaer' | 'birkelund'

const { region, aarhus, viborg, maaneskaer, birkelund } = demoOrganizations

const party = <R extends string>(
  { name, organization }: { name: string; organization: string },
  role: R,
  email: string
) => ({ name, allowedRoles: [role], email, organization })

export const parties = {
  region: party(region, 'BUYER', 'hjemmemonitorering@region-midtjylland.example'),
  aarhus: party(aarhus, 'BUYER', 'hjemmesygeplejen@aarhus.example'),
  viborg: party(viborg, 'BUYER', 'hjemmesygeplejen@viborg.example'),
  accounting: party(
    { ...region, name: 'Region Midtjylland, Regnskab' },
    'ACCOUNTING',
    'faktura@region-midtjylland.example'
  ),
  maaneskaer: party(maaneskaer, 'SELLER', 'ordre@maaneskaer.example'),
  birkelund: party(birkelund, 'SELLER', 'ordre@birkelund.example')
} as const
export type PartyKey = keyof typeof parties

export const buyers: readonly BuyerKey[] = ['region', 'aarhus', 'viborg']

/** Contracts in force since 1 January of this year, for some years or until a day near today. */
export const contracts: readonly {
  name: string
  seller: SellerKey
  buyer: readonly BuyerKey[]
  years?: number
  endsInDays?: number
  expiryReminderDays: number
}[] = [
  {
    name: 'Rammeaftale om måleudstyr til hjemmemonitorering',
    ...{ seller: 'maaneskaer', buyer: buyers, years: 4, expiryReminderDays: 180 }
  },
  {
    name: 'Aftale om smartphones og support i hjemmet',
    ...{ seller: 'birkelund', buyer: ['aarhus', 'viborg'], years: 2, expiryReminderDays: 90 }
  },
  {
    name: 'Aftale om afprøvning af måleudstyr',
    ...{ seller: 'maaneskaer', buyer: ['region'], endsInDays: 21, expiryReminderDays: 60 }
  }
]

const patient = (name: string) => `https://fhir.example/Patient/${name}`

/** Patients as receivers. */
export const receivers = {
  asta: {
    ...{ name: 'Asta Opdigtet', addressLine1: 'Eksempelvej 1', addressLine2: null },
    ...{ postalCode: '8000', postalDistrict: 'Aarhus C', email: 'asta@borger.example', phone: '00 00 00 01' },
    patient: patient('asta-opdigtet')
  },
  bent: {
    ...{ name: 'Bent Påfund', addressLine1: 'Prøvestræde 2', addressLine2: '1. tv.' },
    ...{ postalCode: '8800', postalDistrict: 'Viborg', email: 'bent@borger.example', phone: '00 00 00 02' },
    patient: patient('bent-paafund')
  },
  clara: {
    ...{ name: 'Clara Tænktilfælde', addressLine1: 'Ingenstedsvej 3', addressLine2: null },
    ...{ postalCode: '8600', postalDistrict: 'Silkeborg', email: null, phone: '00 00 00 03' },
    patient: patient('clara-taenktilfaelde')
  },
  dagny: {
    ...{ name: 'Dagny Digterfigur', addressLine1: 'Fantasigade 4', addressLine2: '2. th.' },
    ...{ postalCode: '8200', postalDistrict: 'Aarhus N', email: null, phone: '00 00 00 04' },
    patient: patient('dagny-digterfigur')
  },
  ejvind: {
    ...{ name: 'Ejvind Eventyrmand', addressLine1: 'Drømmevej 5', addressLine2: null },
    ...{ postalCode: '8850', postalDistrict: 'Bjerringbro', email: null, phone: '00 00 00 05' },
    patient: patient('ejvind-eventyrmand')
  }
} as const
