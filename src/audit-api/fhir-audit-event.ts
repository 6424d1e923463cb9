import { shownHash } from '../audit/stored-patient.js'
import type { AuditRow } from '../audit/tables.js'
import { orderResource } from '../order/model/resources.js'
import type { Interaction } from '../platform/auth/audit-context.js'
import type { Ports } from '../ports.js'
import type { AuditEvent } from './audit-event.schemas.js'
import { auditEventResource } from './resources.js'

type Entity = AuditEvent['entity'][number]

const hl7 = (system: string, code: string) => ({
  system: `http://terminology.hl7.org/CodeSystem/${system}`,
  code
})
const person = { type: hl7('audit-entity-type', '1'), role: hl7('object-role', '1') }
const resource = { type: hl7('audit-entity-type', '2'), role: hl7('object-role', '4') }
/** IHE's name for the id of a request (Basic Audit Log Patterns). */
const request = {
  system: 'https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType',
  code: 'XrequestId'
}

const actions: Readonly<Record<Interaction, string>> = {
  read: 'R',
  'search-type': 'R',
  create: 'C',
  update: 'U',
  patch: 'U',
  delete: 'D'
}

/** Codes of problems that are failures of the server, not errors of the client. */
const failureCodes = /^(internal-error|busy|outcome-unknown|.*-unavailable)$/

/**
 * Converts a row of the audit record to a FHIR R4 AuditEvent.
 * @param onlyOrders omits patients and orders that do not belong to these orders. Null among them
 *   keeps patients without an order.
 */
export function auditEventOf(
  { resourceUrls }: Pick<Ports, 'resourceUrls'>,
  row: AuditRow,
  onlyOrders?: readonly (string | null)[]
): AuditEvent {
  const base = resourceUrls.base(auditEventResource.api)
  const subjects = row.patients
    .map((patient, at) => ({ patient, order: row.orders[at] ?? null }))
    .filter(({ order }) => onlyOrders === undefined || onlyOrders.includes(order))
  const patients = new Set(subjects.flatMap(({ patient }) => patient ?? []))
  const orders = new Set(subjects.flatMap((each) => each.order ?? []))
  return {
    resourceType: 'AuditEvent',
    id: row.id,
    type: hl7('audit-event-type', 'rest'),
    subtype: [
      { system: 'http://hl7.org/fhir/restful-interaction', code: row.interaction },
      { system: `${base}/openapi.json`, code: row.operation }
    ],
    action: actions[row.interaction],
    recorded: row.recorded.toISOString(),
    outcome: row.problem === null ? '0' : failureCodes.test(row.problem) ? '8' : '4',
    ...(row.problem === null ? {} : { outcomeDesc: row.problem }),
    agent: agentsOf(row),
    source: { observer: { display: base } },
    entity: [
      ...[...patients].map(
        (patient): Entity => ({
          what: { identifier: { type: { text: 'hmac-sha256' }, value: shownHash(patient) } },
          ...person
        })
      ),
      ...[...orders].map(
        (id): Entity => ({ what: { reference: resourceUrls.url(orderResource, id) }, ...resource })
      ),
      { what: { identifier: { value: row.requestId } }, type: request }
    ]
  }
}

function agentsOf({ userType, userId, organization }: AuditRow): AuditEvent['agent'] {
  return [
    {
      type: { text: userType },
      ...(userId === null ? {} : { who: { identifier: { value: userId } } }),
      requestor: true
    },
    ...(organization === null ? [] : [{ who: { reference: organization }, requestor: false }])
  ]
}
