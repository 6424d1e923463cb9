import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Asker, type Backend, oddAnswer } from './backend.js'
import { hasBegun, isOver, type Now } from './fhir-time.js'

/** Tells whether a patient has an active consent in force that who asks may see. */
export type HasConsent = (asker: Asker, patientId: string, now: Now) => Promise<boolean>

/** The category of consents to what this service does for a patient. */
const category = 'SSLPCI'

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
 * Asks for consents by a search whose terms travel in the body, so that the patient stands in no address. Its answer is read again
 * with our own eyes: a server may leave out what it does not know of a search. It is never kept, since a consent can be withdrawn.
 */
export const createConsentCheck =
  (backend: Backend): HasConsent =>
  async (asker, patientId, now) => {
    const reference = `Patient/${patientId}`
    const { status, body } = await backend.ask(asker, '/Consent/_search', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ patient: reference, status: 'active', category, _count: '50' }))
    })
    if (status === 401 || status === 403) return false
    if (status !== 200) throw oddAnswer(`STATUS_${status}`)
    if (!Value.Check(Bundle, body)) throw oddAnswer('NO_SEARCHSET')
    const patients = [reference, `${backend.base}/${reference}`]
    const isGiven = (body.entry ?? []).some(
      ({ resource }) =>
        Value.Check(Consent, resource) &&
        patients.includes(resource.patient.reference) &&
        isOfCategory(resource) &&
        isInForce(resource, now)
    )
    // Where the rest of a long list is would be told by the answer, and no address of an answer is followed.
    if (!isGiven && body.link?.some(({ relation }) => relation === 'next')) throw oddAnswer('MORE_PAGES')
    return isGiven
  }

type Consent = Static<typeof Consent>

const isOfCategory = (consent: Consent) =>
  consent.category.some(({ coding = [] }) => coding.some(({ code }) => code === category))

function isInForce({ dateTime, provision: { type, period = {} } = {} }: Consent, now: Now): boolean {
  const begun = [dateTime, period.start].every((text) => text === undefined || hasBegun(text, now))
  return begun && (period.end === undefined || !isOver(period.end, now)) && type !== 'deny'
}
