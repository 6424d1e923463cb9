import type { Created, Pages, SslClient } from '../../clients/typescript/src/index.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import type { PartyKey } from './data.js'
import { printEvent } from './print.js'

/** Shared by all parts of the demo: the clients, and the URLs of resources. */
export interface Stage {
  /** The client of a user of this type and party. */
  as: (userType: UserType, party: PartyKey) => SslClient
  /** The public URL of a resource. */
  urlOf: (api: Api, noun: string, id: string) => string
  /** Gives a new resource the id of the examples, where that is possible. Returns its id. */
  useExampleId: (id: string, exampleId: string) => Promise<string>
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
  /** The list that contains it. */
  list: Pages<T>
  /** Whether an entry of the list is this resource. */
  matches: (entry: T) => boolean
  /** The id of this resource in the examples of the documents. */
  exampleId: string | undefined
  create: () => Promise<Created<unknown>>
}

/** Finds a resource in its list or creates it. Prints which, and returns its URL. */
export async function findOrCreate<T extends { id: string }>(
  { urlOf, useExampleId }: Stage,
  text: string,
  { api, noun, list, matches, exampleId, create }: DemoResource<T>
): Promise<string> {
  for await (const entry of list) {
    if (entry.id !== exampleId && !matches(entry)) continue
    const url = urlOf(api, noun, entry.id)
    printEvent('found', text, url)
    return url
  }
  const { id } = await create()
  const url = urlOf(api, noun, exampleId === undefined ? id : await useExampleId(id, exampleId))
  printEvent('new', text, url)
  return url
}

/** Whether a resource has an identifier. */
export const hasIdentifier =
  (expected: { system: string; value: string }) =>
  ({ identifiers }: { identifiers?: readonly { system: string | null; value: string | null }[] | null }) =>
    (identifiers ?? []).some(({ system, value }) => system === expected.system && value === expected.value)
