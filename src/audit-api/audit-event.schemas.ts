import { type Static, Type } from '@sinclair/typebox'
import { orderResource } from '../order/model/resources.js'
import { exampleUrl } from '../platform/schemas/examples.js'
import { CodeOf, Id, Timestamp } from '../platform/schemas/schemas.js'
import { auditEventResource } from './resources.js'

/*
 * The members of FHIR R4's AuditEvent (https://hl7.org/fhir/R4/auditevent.html) that the server
 * fills. Absent values are omitted, as FHIR demands.
 */

const text = (description: string, example: string) => Type.String({ description, example })

const FhirCoding = (description: string, system: string, code: string) =>
  Type.Object(
    { system: text('Code system, a URI.', system), code: text('Code within the system.', code) },
    { description }
  )

const What = Type.Object(
  {
    reference: Type.Optional(text('URL of the resource.', exampleUrl(orderResource, 'monitor'))),
    identifier: Type.Optional(
      Type.Object(
        {
          type: Type.Optional(
            Type.Object(
              { text: text('`hmac-sha256` for the keyed hash of a reference.', 'hmac-sha256') },
              { description: 'Kind of identifier.' }
            )
          ),
          value: text('The identifier. A hash is base64url of its first 16 bytes.', 'Y3VyaW9zaXR5IGtpbGxlZA')
        },
        { description: 'Identifier of an entity without a URL: a keyed hash, a request id, a user.' }
      )
    )
  },
  { description: 'The person or thing referred to.' }
)

const Agent = Type.Object(
  {
    type: Type.Optional(
      Type.Object({ text: text('User type.', 'MonitoringResponsible') }, { description: 'Kind of caller.' })
    ),
    who: Type.Optional(What),
    requestor: Type.Boolean({
      description: 'True for the caller, false for the organization.',
      example: true
    })
  },
  { description: 'The caller, or the organization that the caller works for.' }
)

const entityTypes = 'http://terminology.hl7.org/CodeSystem/audit-entity-type'
const objectRoles = 'http://terminology.hl7.org/CodeSystem/object-role'

const Entity = Type.Object(
  {
    what: What,
    type: FhirCoding('Person (1), system object (2), or the id of the request.', entityTypes, '1'),
    role: Type.Optional(FhirCoding('Patient (1) or domain resource (4).', objectRoles, '1'))
  },
  { description: 'A patient, an order, or the request.' }
)

export const AuditEvent = Type.Object(
  {
    resourceType: Type.Unsafe<'AuditEvent'>({ ...text('Always AuditEvent.', 'AuditEvent'), type: 'string' }),
    id: Id(auditEventResource, 'details read'),
    type: FhirCoding(
      'Always a REST request.',
      'http://terminology.hl7.org/CodeSystem/audit-event-type',
      'rest'
    ),
    subtype: Type.Array(
      FhirCoding(
        'FHIR interaction, and operationId of the request.',
        'http://hl7.org/fhir/restful-interaction',
        'read'
      ),
      { description: 'The requested operation.' }
    ),
    action: CodeOf(['C', 'R', 'U', 'D'], 'C, R, U or D: create, read, update, delete.', 'R'),
    recorded: Timestamp('Time of the request (UTC).', '2026-03-02T08:21:40.093Z'),
    outcome: CodeOf(['0', '4', '8'], '0: success. 4: rejected. 8: failed.', '0'),
    outcomeDesc: Type.Optional(text('Code of the problem in the response.', 'not-found')),
    agent: Type.Array(Agent, { description: 'The caller and its organization.' }),
    source: Type.Object(
      {
        observer: Type.Object(
          { display: text('Base address of the service.', 'https://inttest.example.org/ssl-order/v1') },
          { description: 'The service.' }
        )
      },
      { description: 'The recording service.' }
    ),
    entity: Type.Array(Entity, {
      description: 'The patients, the orders and the request.'
    })
  },
  {
    title: 'AuditEvent',
    description: 'Record of who read or wrote which patients’ data (FHIR R4 AuditEvent).'
  }
)
export type AuditEvent = Static<typeof AuditEvent>
