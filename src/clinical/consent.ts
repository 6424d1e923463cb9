import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type BackendCaller, type ClinicalBackend, unusableResponse } from './backend.js'
import { type CurrentTime, hasEnded, hasStarted } from './fhir-time.js'

/** Whether a patient has an active consent that is in force and visible to the caller. */
export type HasConsent = (caller: BackendCaller, patientId: string, now: CurrentTime) => Promise<boolean>

/** The category of consents to the use of this service for a patient. */
const CONSENT_CATEGORY = 'SSLPCI'

const Bundle = Type.Object({
  resourceType: Type.Literal('Bundle'),
  type: Type.Literal('searchset'),
  link: Type.Optional(Type.Array(Type.Object({ relation: Type.Optional(Type.String()) }))),
  entry: Type.Optional(Type.Array(Type.Object({ resource: Type.Optional(Type.Unknown()) })))
})

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
  provision: Type.Optional(
    Type.Object({
      type: Type.Optional(Type.String()),
      period: Type.Optional(
        Type.Object({ start: Type.Optional(Type.String()), end: Type.Optional(Type.String()) })
      )
    })
  )
})

/**
 * Searches consents with the parameters in the body, so that the patient appears in no URL. Results
 * are checked again, because a server may ignore search parameters that it does not support. They
 * are never cached, because a consent can be withdrawn.
 */
export const createConsentCheck =
  (backend: ClinicalBackend): HasConsent =>
  async (caller, patientId, now) => {
    const reference = `Patient/${patientId}`
    const { status, body } = await backend.request(caller, '/Consent/_search', {
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
    if (status === 401 || status === 403) return false
    if (status !== 200) throw unusableResponse(`STATUS_${status}`)
    if (!Value.Check(Bundle, body)) throw unusableResponse('NO_SEARCHSET')
    const patients = [reference, `${backend.base}/${reference}`]
    const isGiven = (body.entry ?? []).some(
      ({ resource }) =>
        Value.Check(Consent, resource) &&
        patients.includes(resource.patient.reference) &&
        hasCategory(resource) &&
        isInForce(resource, now)
    )
    // Links in a response are never followed, so further pages cannot be read.
    if (!isGiven && body.link?.some(({ relation }) => relation === 'next'))
      throw unusableResponse('MORE_PAGES')
    return isGiven
  }

type Consent = Static<typeof Consent>

const hasCategory = (consent: Consent) =>
  consent.category.some(({ coding = [] }) => coding.some(({ code }) => code === CONSENT_CATEGORY))

function isInForce({ dateTime, provision: { type, period = {} } = {} }: Consent, now: CurrentTime): boolean {
  const started = [dateTime, period.start].every((text) => text === undefined || hasStarted(text, now))
  return started && (period.end === undefined || !hasEnded(period.end, now)) && type !== 'deny'
}
