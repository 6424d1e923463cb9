import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { LRUCache } from 'lru-cache'
import { type BackendCall, type ClinicalBackend, unusableResponse } from './backend.js'
import type { ClinicalType } from './reference.js'

/** Whether a clinical resource exists and is visible to the caller. */
export type ReferenceExists = (call: BackendCall, type: ClinicalType, id: string) => Promise<boolean>

const Resource = Type.Object({
  resourceType: Type.String(),
  id: Type.Optional(Type.String()),
  active: Type.Optional(Type.Unknown())
})

/** The resource does not exist, or is not visible to this caller. */
const NOT_FOUND_STATUSES = [401, 403, 404, 410]

/**
 * Reads resources and caches found ones for five minutes: an Organization for all callers, a
 * Patient only for the token that read it, so that no caller benefits from another's rights.
 */
export function createReferenceCheck(backend: ClinicalBackend): ReferenceExists {
  const found = new LRUCache<string, true>({ max: 20_000, ttl: 300_000 })
  return async (call, type, id) => {
    const key = keyOf(type === 'Patient' ? call.caller.token : '', type, id)
    if (found.has(key)) return true
    const exists = await read(backend, call, type, id)
    if (exists) found.set(key, true)
    return exists
  }
}

/** A hash, so that the cache contains neither tokens nor patients in clear text. */
const keyOf = (...parts: string[]) => createHash('sha256').update(parts.join(' ')).digest('base64url')

async function read(
  backend: ClinicalBackend,
  call: BackendCall,
  type: ClinicalType,
  id: string
): Promise<boolean> {
  const { status, body } = await backend.request(call, `/${type}/${id}`)
  if (NOT_FOUND_STATUSES.includes(status)) return false
  if (status !== 200) throw unusableResponse(`STATUS_${status}`)
  if (!Value.Check(Resource, body)) throw unusableResponse('NO_RESOURCE')
  return body.resourceType === type && body.id === id && body.active !== false
}
