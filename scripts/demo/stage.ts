import type { UserType } from '../../src/platform/auth/caller.js'
import type { Caller } from './client.js'
import type { PartyKey } from './data.js'
import { printEvent } from './print.js'

/** Shared by all parts of the demo: the callers, and the URLs of resources. */
export interface Stage {
  /** A user of this type and party. */
  as: (userType: UserType, party: PartyKey) => Caller
  /** The public URL of a resource. */
  urlOf: (api: Api, noun: string, id: string) => string
}

/** Paths of the two APIs. */
export const catalogueApi = '/ssl-catalogue/v1'
export const orderApi = '/ssl-order/v1'
export type Api = typeof catalogueApi | typeof orderApi

/** A resource that the demo creates once. */
export interface DemoResource<T> {
  api: Api
  /** Its name in URLs, such as `party`. */
  noun: string
  /** The list that contains it, such as `parties`. */
  list: string
  /** Whether an entry of the list is this resource. */
  matches: (entry: T) => boolean
  body: object
}

/** Every resource has an id. */
export interface Entry {
  id: string
}

/** Finds a resource in its list or creates it. Prints which, and returns its URL. */
export async function findOrCreate<T extends Entry>(
  { urlOf }: Stage,
  caller: Caller,
  text: string,
  { api, noun, list, matches, body }: DemoResource<T>
): Promise<string> {
  for await (const entry of caller.list<T>(`${api}/${list}`)) {
    if (!matches(entry)) continue
    const url = urlOf(api, noun, entry.id)
    printEvent('found', text, url)
    return url
  }
  const url = await caller.create(`${api}/${noun}`, body)
  printEvent('new', text, url)
  return url
}

/** Whether a resource has an identifier. */
export const hasIdentifier =
  (expected: { system: string; value: string }) =>
  ({ identifiers }: { identifiers?: readonly { system: string | null; value: string | null }[] | null }) =>
    (identifiers ?? []).some(({ system, value }) => system === expected.system && value === expected.value)
