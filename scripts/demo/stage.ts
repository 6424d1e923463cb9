import type { UserType } from '../../src/platform/auth/actor.js'
import type { Caller } from './client.js'
import type { PartyKey } from './data.js'
import { tell } from './print.js'

/** What every act of the story needs: who can be called upon, and how resources are addressed. */
export interface Stage {
  /** Somebody of this user type who works for a party. */
  as: (userType: UserType, party: PartyKey) => Caller
  /** The address of a resource, as the server itself gives it. */
  addressOf: (api: Api, noun: string, id: string) => string
}

/** Paths of the two services. */
export const catalogueApi = '/ssl-catalogue/v1'
export const orderApi = '/ssl-order/v1'
export type Api = typeof catalogueApi | typeof orderApi

/** A resource that the story needs once. */
export interface Wanted<T> {
  api: Api
  /** What it is called in addresses, such as `party`. */
  noun: string
  /** The list that it would be in, such as `parties`. */
  list: string
  /** Whether an entry of that list is it. */
  is: (entry: T) => boolean
  body: object
}

/** Every resource has an id. */
export interface Entry {
  id: string
}

/** The address of a resource that is in its list; else it is created. Tells which. */
export async function obtain<T extends Entry>(
  { addressOf }: Stage,
  caller: Caller,
  text: string,
  { api, noun, list, is, body }: Wanted<T>
): Promise<string> {
  for await (const entry of caller.list<T>(`${api}/${list}`)) {
    if (!is(entry)) continue
    const address = addressOf(api, noun, entry.id)
    tell('found', text, address)
    return address
  }
  const address = await caller.create(`${api}/${noun}`, body)
  tell('new', text, address)
  return address
}

/** Whether something bears an identifier. */
export const isIdentified =
  (wanted: { system: string; value: string }) =>
  ({ identifiers }: { identifiers?: readonly { system: string | null; value: string | null }[] | null }) =>
    (identifiers ?? []).some(({ system, value }) => system === wanted.system && value === wanted.value)
