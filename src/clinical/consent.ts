import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type BackendCall, type ClinicalBackend, unusableResponse } from './backend.js'
import { type CurrentTime, hasEnded, hasStarted } from './fhir-time.js'

/**
 * Finds an active consent of a patient that is in force and visible to the caller. The consent
 * names no actor, or the organization, and has no exception that excludes the organization.
 * Undefined accepts every actor.
 * @returns `other-actor` when all consents name other actors or exclude the organization.
 */
export type FindConsent = (
  call: BackendCall,
  patientId: string,
  organization: string | undefined,
  now: CurrentTime
) => Promise<'given' | 'other-actor' | 'none'>

/** The category of consents to the use of this service for a patient. */
const CONSENT_CATEGORY = 'SSLPCI'

const Bundle = Type.Object({
  resourceType: Type.Literal('Bundle'),
  type: Type.Literal('searchset'),
  link: Type.Optional(Type.Array(Type.Object({ relation: Type.Optional(Type.String()) }))),
  entry: Type.Optional(Type.Array(Type.Object({ resource: Type.Optional(Type.Unknown()) })))
})

const Actors = Type.Optional(
  Type.Array(
    Type.Object({ reference: Type.Optional(Type.Object({ reference: Type.Optional(Type.String()) })) })
  )
)

/** A provision of a consent. Nested provisions are exceptions. */
const Provision = Type.Recursive((This) =>
  Type.Object({
    type: Type.Optional(Type.String()),
    actor: Actors,
    period: Type.Optional(
      Type.Object({ start: Type.Optional(Type.String()), end: Type.Optional(Type.String()) })
    ),
    provision: Type.Optional(Type.Array(This))
  })
)

const Consent = Type.Object({
  resourceType: Type.Literal('Consent'),
  status: Type.Literal('active'),
  category: Type.Array(
    Type.Object({
      coding: Type.Optional(Type.Array(Type.Object({ code: Type.Optional(Type.String()) })))
    })
  ),
  patient: Type.Object({ reference: Type.String() }),
  dateTime: Type.Optional(Type.String()),
  provision: Type.Optional(Provision)
})

/**
 * Searches consents with the parameters in the body, so that the patient appears in no URL. Results
 * are checked again, because a server may ignore search parameters that it does not support. The
 * results are never cached, because a consent can be withdrawn.
 */
export const createConsentCheck =
  (backend: ClinicalBackend): FindConsent =>
  async (call, patientId, organization, now) => {
    const reference = `Patient/${patientId}`
    const { status, body } = await backend.request(call, '/Consent/_search', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(
        new URLSearchParams({
          patient: reference,
          status: 'active',
          category: CONSENT_CATEGORY,
          _count: '50'
        })
      )
    })
    if (status === 401 || status === 403) return 'none'
    if (status !== 200) throw unusableResponse(`STATUS_${status}`)
    if (!Value.Check(Bundle, body)) throw unusableResponse('NO_SEARCHSET')
    const patients = [reference, `${backend.base}/${reference}`]
    const consents = (body.entry ?? []).flatMap(({ resource }) =>
      Value.Check(Consent, resource) &&
      patients.includes(resource.patient.reference) &&
      hasCategory(resource) &&
      isInForce(resource, now)
        ? resource
        : []
    )
    if (consents.some((each) => covers(each, organization, backend.base))) return 'given'
    // Links in a response are never followed, so further pages cannot be read.
    if (body.link?.some(({ relation }) => relation === 'next')) throw unusableResponse('MORE_PAGES')
    return consents.length > 0 ? 'other-actor' : 'none'
  }

type Consent = Static<typeof Consent>
type Provision = Static<typeof Provision>

const hasCategory = (consent: Consent) =>
  consent.category.some(({ coding = [] }) => coding.some(({ code }) => code === CONSENT_CATEGORY))

/** Whether the consent names no actor or the organization, and no exception excludes it. */
function covers({ provision = {} }: Consent, organization: string | undefined, base: string): boolean {
  const isNamed = (reference = '') => {
    const url = reference.replace(/\/_history\/[^/]+$/, '')
    return url === organization || `${base}/${url}` === organization
  }
  const actors = referencesOf(provision)
  const isForAll = organization === undefined || actors.length === 0
  return (isForAll || actors.some(isNamed)) && !isExcluded(provision, isNamed)
}

/**
 * Whether an exception at any depth denies for an actor or for all. An actor without a reference is
 * unknown, so it may be the organization.
 */
const isExcluded = ({ provision = [] }: Provision, isNamed: (reference: string) => boolean): boolean =>
  provision.some((each) => {
    const actors = referencesOf(each)
    const denies = actors.length === 0 || actors.some((actor) => actor === undefined || isNamed(actor))
    return (each.type === 'deny' && denies) || isExcluded(each, isNamed)
  })

const referencesOf = ({ actor = [] }: Provision) => actor.map(({ reference }) => reference?.reference)

function isInForce({ dateTime, provision: { type, period = {} } = {} }: Consent, now: CurrentTime): boolean {
  const started = [dateTime, period.start].every((text) => text === undefined || hasStarted(text, now))
  return started && (period.end === undefined || !hasEnded(period.end, now)) && type !== 'deny'
}
