import { type Created, type Pages, SslClient } from '../../clients/typescript/src/index.js'
import { demoOrganizations } from '../../src/home/demo-people.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import type { OrganizationKey } from './data.js'

/** The name of the user of this type in an organization. */
export function personOf(userType: UserType, key: OrganizationKey): string {
  const people: Partial<Record<UserType, string>> = demoOrganizations[key].people
  return people[userType] ?? key
}

/** Makes the clients of users. */
export const clientsAt = (origin: string) => (userType: UserType, key: OrganizationKey) => {
  const { organization } = demoOrganizations[key]
  const token = unsignedToken({ userType, organization, name: personOf(userType, key) })
  return new SslClient({ origin, token, timeoutMs: 15_000, fetch: fetchOrReport })
}

let isReported = false

/** Sends a request. Reports the first request without a response, which the client retries. */
const fetchOrReport: typeof fetch = (...request) =>
  fetch(...request).catch((error) => {
    if (!isReported)
      printLine('Waiting for the server. If none runs, start it with "npm start" in another terminal.')
    isReported = true
    throw error
  })

export type ClientOf = ReturnType<typeof clientsAt>

export const printLine = (line: string): boolean => process.stdout.write(`${line}\n`)

/** Prints a heading: the step, and the user who takes it. */
export const printHeading = (what: string, who: string): boolean => printLine(`\n${what}\n  ${who}`)

/** Prints an event: a word, a description, and the path of the resource. */
export const printEvent = (word: string, description: string, url?: string): boolean =>
  printLine(
    `    ${word.padEnd(8)}${url ? `${description.padEnd(48)} ${new URL(url).pathname}` : description}`
  )

/** The URL of the matching entry of a list, otherwise of the resource that `create` makes. */
export async function findOrCreate<T extends { id: string }>(
  text: string,
  list: Pages<T>,
  matches: (entry: T) => boolean,
  urlOf: (entry: T) => string,
  create: () => Promise<Created<unknown>>
): Promise<string> {
  const found = (await list.all()).find(matches)
  const url = found ? urlOf(found) : (await create()).url
  printEvent(found ? 'found' : 'new', text, url)
  return url
}

/** Whether a resource has an identifier with this value. */
export const hasIdentifier =
  (value: string) =>
  ({ identifiers }: { identifiers: readonly { value: string }[] }): boolean =>
    identifiers.some((each) => each.value === value)
