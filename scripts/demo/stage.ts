import type { UserType } from '../../src/platform/actor.js'
import type { Caller } from './client.js'
import type { PartyKey } from './data.js'
import type { Memory } from './memory.js'
import { tell } from './print.js'

/** What every act of the story needs: who can be called upon, and what was created before. */
export interface Stage {
  /** Somebody of this user type who works for a party. */
  as: (userType: UserType, party: PartyKey) => Caller
  memory: Memory
}

/** Paths of the two services. */
export const catalogueApi = '/ssl-catalogue/v1'
export const orderApi = '/ssl-order/v1'

/** The address of what is remembered and still there; else it is created. Tells which. */
export async function obtain(
  { memory }: Stage,
  caller: Caller,
  key: string,
  text: string,
  create: { path: string; body: object }
): Promise<string> {
  const known = await recall(memory, caller, key)
  const address = known ?? (await caller.create(create.path, create.body))
  if (known === undefined) memory.set(key, address)
  tell(known === undefined ? 'new' : 'found', text, address)
  return address
}

/** The remembered address of something that the caller can still read. */
export async function recall(memory: Memory, caller: Caller, key: string): Promise<string | undefined> {
  const address = memory.get(key)
  return address !== undefined && (await caller.knows(address)) ? address : undefined
}
