import { unsignedToken } from '../../../scripts/unsigned-token.js'
import type { UserType } from '../../../src/platform/actor.js'

/** What a server answered. */
export interface Answer {
  status: number
  text: string
  location: string
  /** Address of the next page, where there is one. */
  next: string | undefined
}

export const organization = (name: string) => `https://fhir.example/Organization/${name}`
export const patient = (name: string) => `https://fhir.example/Patient/${name}`

export const orderApi = '/ssl-order/v1'
export const catalogueApi = '/ssl-catalogue/v1'

const token = (userType: UserType, of: string) => unsignedToken({ userType, organization: organization(of) })

/** Tokens; the product alone looks at them. */
export const tokens = {
  clerk: token('AdministrativeClerk', 'region'),
  otherClerk: token('AdministrativeClerk', 'other-region'),
  nurse: token('MonitoringResponsible', 'region'),
  provider: token('Provider', 'provider')
}
export type Who = keyof typeof tokens

/** Sends a request to one of the servers. */
export async function send(
  origin: string,
  who: Who,
  method: string,
  path: string,
  body?: unknown
): Promise<Answer> {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: tokens[who], ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {})
  })
  return {
    status: response.status,
    text: await response.text(),
    location: response.headers.get('location') ?? '',
    next: /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  }
}

/** Sends requests of which none may be refused, as the makers of a world do. */
export const maker =
  (origin: string) =>
  async (who: Who, method: string, path: string, body?: unknown): Promise<string> => {
    const { status, text, location } = await send(origin, who, method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return location
  }
export type Make = ReturnType<typeof maker>

/** The path of one of our addresses, with its query. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
