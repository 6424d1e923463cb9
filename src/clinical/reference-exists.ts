import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { LRUCache } from 'lru-cache'
import { type Asker, type Backend, oddAnswer } from './backend.js'
import type { ClinicalType } from './reference.js'

/** Tells whether a clinical resource is there for who asks. */
export type ReferenceExists = (asker: Asker, type: ClinicalType, id: string) => Promise<boolean>

const Resource = Type.Object({
  resourceType: Type.String(),
  id: Type.Optional(Type.String()),
  active: Type.Optional(Type.Unknown())
})

/** Statuses by which the backend says that there is nothing, or nothing for this caller. */
const nothingThere = [401, 403, 404, 410]

/**
 * Asks for resources by reading them. What was found is remembered for minutes: an Organization for everybody, a Patient for the
 * one token with which it was read, so that nobody profits from another's rights.
 */
export function createReferenceCheck(
  backend: Backend,
  { entries = 20_000, minutes = 5 } = {}
): ReferenceExists {
  const found = new LRUCache<string, true>({ max: entries, ttl: minutes * 60_000 })
  return async (asker, type, id) => {
    const key = keyOf(type === 'Patient' ? asker.token : '', type, id)
    if (found.has(key)) return true
    const isThere = await read(backend, asker, type, id)
    if (isThere) found.set(key, true)
    return isThere
  }
}

/** Holds neither token nor patient in clear. */
const keyOf = (...parts: string[]) => createHash('sha256').update(parts.join(' ')).digest('base64url')

async function read(backend: Backend, asker: Asker, type: ClinicalType, id: string): Promise<boolean> {
  const { status, body } = await backend.ask(asker, `/${type}/${id}`)
  if (nothingThere.includes(status)) return false
  if (status !== 200) throw oddAnswer(`STATUS_${status}`)
  if (!Value.Check(Resource, body)) throw oddAnswer('NO_RESOURCE')
  return body.resourceType === type && body.id === id && body.active !== false
}
