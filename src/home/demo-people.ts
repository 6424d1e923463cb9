import type { UserType } from '../platform/auth/caller.js'
import { unsignedToken } from '../platform/auth/tokens/unsigned-token.js'

interface DemoOrganization {
  name: string
  /** URL of the clinical Organization. */
  organization: string
  /** The names of its users. */
  people: Partial<Record<UserType, string>>
}

const organization = (name: string) => `https://fhir.example/Organization/${name}`

/** The organizations of the demo, with the users whom the first page offers in devtest. */
export const demoOrganizations = {
  region: {
    name: 'Region Midtjylland',
    organization: organization('region-midtjylland'),
    people: { MonitoringResponsible: 'Nana Nattevagt', AdministrativeClerk: 'Regitse Register' }
  },
  aarhus: {
    name: 'Aarhus Kommune',
    organization: organization('aarhus-kommune'),
    people: { MonitoringResponsible: 'Sofie Sygeplejerske', AdministrativeClerk: 'Klara Kontor' }
  },
  viborg: {
    name: 'Viborg Kommune',
    organization: organization('viborg-kommune'),
    people: { MonitoringResponsible: 'Hanne Hjemmebesøg', AdministrativeClerk: 'Kasper Kartotek' }
  },
  maaneskaer: {
    name: 'Måneskær Medicoteknik ApS',
    organization: organization('maaneskaer-medicoteknik'),
    people: { Provider: 'Tage Tekniker' }
  },
  birkelund: {
    name: 'Birkelund Hjemmeudstyr A/S',
    organization: organization('birkelund-hjemmeudstyr'),
    people: { Provider: 'Lis Lager' }
  }
} as const satisfies Readonly<Record<string, DemoOrganization>>

export const peopleOf = ({ people }: DemoOrganization): { userType: UserType; name: string }[] =>
  Object.entries(people).map(([userType, name]) => ({ userType: userType as UserType, name }))

/** A new unsigned token for each user, by name. */
export const createDemoTokens = (): Record<string, string> =>
  Object.fromEntries(
    Object.values(demoOrganizations).flatMap((each) =>
      peopleOf(each).map(({ userType, name }) => [
        name,
        unsignedToken({ userType, name, organization: each.organization })
      ])
    )
  )
