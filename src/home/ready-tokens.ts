import { type UserType, userTypes } from '../platform/auth/caller.js'
import { unsignedToken } from '../platform/auth/tokens/unsigned-token.js'

const organizations: Readonly<Record<UserType, string>> = {
  AdministrativeClerk: 'aarhus-kommune',
  MonitoringResponsible: 'aarhus-kommune',
  Provider: 'maaneskaer-medicoteknik'
}

/** The organization of a ready-made token, as in the demo: the last segment of its URL. */
export const organizationOf = (userType: UserType): string => organizations[userType]

/** A new unsigned token for each user type. */
export const readyTokens = (): Record<string, string> =>
  Object.fromEntries(
    userTypes.map((userType) => {
      const organization = `https://fhir.example/Organization/${organizations[userType]}`
      return [userType, unsignedToken({ userType, organization })]
    })
  )
