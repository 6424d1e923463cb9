/*
 * The parties and people. Only the public bodies are real: providers, people, addresses and numbers
 * are invented.
 */

const organization = (name: string) => `https://fhir.example/Organization/${name}`

export const parties = {
  region: {
    name: 'Region Midtjylland',
    allowedRoles: ['BUYER'],
    email: 'hjemmemonitorering@region-midtjylland.example',
    organization: organization('region-midtjylland')
  },
  aarhus: {
    name: 'Aarhus Kommune',
    allowedRoles: ['BUYER'],
    email: 'hjemmesygeplejen@aarhus.example',
    organization: organization('aarhus-kommune')
  },
  viborg: {
    name: 'Viborg Kommune',
    allowedRoles: ['BUYER'],
    email: 'hjemmesygeplejen@viborg.example',
    organization: organization('viborg-kommune')
  },
  accounting: {
    name: 'Region Midtjylland, Regnskab',
    allowedRoles: ['ACCOUNTING'],
    email: 'faktura@region-midtjylland.example',
    organization: organization('region-midtjylland')
  },
  maaneskaer: {
    name: 'Måneskær Medicoteknik ApS',
    allowedRoles: ['SELLER'],
    email: 'ordre@maaneskaer.example',
    organization: organization('maaneskaer-medicoteknik')
  },
  birkelund: {
    name: 'Birkelund Hjemmeudstyr A/S',
    allowedRoles: ['SELLER'],
    email: 'ordre@birkelund.example',
    organization: organization('birkelund-hjemmeudstyr')
  }
} as const
export type PartyKey = keyof typeof parties
export type BuyerKey = 'region' | 'aarhus' | 'viborg'
export type SellerKey = 'maaneskaer' | 'birkelund'

export const buyers: readonly BuyerKey[] = ['region', 'aarhus', 'viborg']

/** The users of each party: clerk, nurse, or the provider's technician. */
export const people = {
  region: { AdministrativeClerk: 'Regitse Register', MonitoringResponsible: 'Nana Nattevagt' },
  aarhus: { AdministrativeClerk: 'Klara Kontor', MonitoringResponsible: 'Sofie Sygeplejerske' },
  viborg: { AdministrativeClerk: 'Kasper Kartotek', MonitoringResponsible: 'Hanne Hjemmebesøg' },
  maaneskaer: { Provider: 'Tage Tekniker' },
  birkelund: { Provider: 'Lis Lager' }
} as const

const year = new Date().getFullYear()

/** Contracts, in force from 1 January of this year. */
export const contracts: readonly {
  name: string
  seller: SellerKey
  buyer: readonly BuyerKey[]
  validityPeriod: { start: number[]; end: number[] }
  reminderDays: number
}[] = [
  {
    name: 'Rammeaftale om måleudstyr til hjemmemonitorering',
    seller: 'maaneskaer',
    buyer: buyers,
    validityPeriod: { start: [year, 1, 1], end: [year + 3, 12, 31] },
    reminderDays: 180
  },
  {
    name: 'Aftale om smartphones og support i hjemmet',
    seller: 'birkelund',
    buyer: ['aarhus', 'viborg'],
    validityPeriod: { start: [year, 1, 1], end: [year + 1, 12, 31] },
    reminderDays: 90
  }
]

const patient = (name: string) => `https://fhir.example/Patient/${name}`

/** Patients as receivers. The addresses are invented. */
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
  }
} as const
export type ReceiverKey = keyof typeof receivers
