import t from 'tap'
import type { AuditRow } from '../../src/audit/tables.js'
import { auditEventOf } from '../../src/audit-api/fhir-audit-event.js'
import type { Ports } from '../../src/ports.js'
import { hashOf, referenceOf } from '../fixtures/audit/rows.js'

const resourceUrls = {
  base: (api: string) => `https://x/${api}/v1`,
  url: ({ path }: { path: string }, id: string) => `https://x/${path}/${id}`
} as unknown as Ports['resourceUrls']

const patient = 'https://fhir.example/Patient/p'

const row: AuditRow = {
  id: 'i',
  recorded: new Date('2026-01-02T03:04:05.678Z'),
  requestId: 'r',
  operation: 'getOrder',
  interaction: 'read',
  problem: null,
  userType: 'Provider',
  userId: 'u',
  organization: 'https://o',
  patients: [referenceOf(patient), null, hashOf(Buffer.from('key'), patient), referenceOf(patient)],
  orders: ['1', '2', null, '3'],
  sameAs: null
}
const eventOf = (more: Partial<AuditRow> = {}, only?: string[]) =>
  auditEventOf({ resourceUrls }, { ...row, ...more }, only)

const hl7 = (system: string, code: string) => ({
  system: `http://terminology.hl7.org/CodeSystem/${system}`,
  code
})

t.test('maps a record to an AuditEvent', async (t) => {
  const person = { type: hl7('audit-entity-type', '1'), role: hl7('object-role', '1') }
  const resource = { type: hl7('audit-entity-type', '2'), role: hl7('object-role', '4') }
  const request = {
    what: { identifier: { value: 'r' } },
    type: { system: 'https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType', code: 'XrequestId' }
  }
  t.same(eventOf(), {
    resourceType: 'AuditEvent',
    id: 'i',
    type: hl7('audit-event-type', 'rest'),
    subtype: [
      { system: 'http://hl7.org/fhir/restful-interaction', code: 'read' },
      { system: 'https://x/ssl-order/v1/openapi.json', code: 'getOrder' }
    ],
    action: 'R',
    recorded: '2026-01-02T03:04:05.678Z',
    outcome: '0',
    agent: [
      { type: { text: 'Provider' }, who: { identifier: { value: 'u' } }, requestor: true },
      { who: { reference: 'https://o' }, requestor: false }
    ],
    source: { observer: { display: 'https://x/ssl-order/v1' } },
    entity: [
      { what: { reference: patient }, ...person },
      { what: { identifier: { type: { text: 'hmac-sha256' }, value: 'uYwBj0Q2CGu7EfThTHN63Q' } }, ...person },
      ...['1', '2', '3'].map((id) => ({ what: { reference: `https://x/order/${id}` }, ...resource })),
      request
    ]
  })
  t.same(eventOf({}, ['2', '4']).entity, [{ what: { reference: 'https://x/order/2' }, ...resource }, request])
  t.same(eventOf({}, []).entity, [request])
  t.same(eventOf({ userId: null, organization: null }).agent, [
    { type: { text: 'Provider' }, requestor: true }
  ])
})

t.test('maps operations to FHIR codes', async (t) => {
  const actions = { read: 'R', 'search-type': 'R', create: 'C', update: 'U', patch: 'U', delete: 'D' }
  for (const [interaction, action] of Object.entries(actions)) {
    const event = eventOf({ interaction: interaction as AuditRow['interaction'] })
    t.equal(event.action, action)
    t.equal(event.subtype[0]?.code, interaction)
  }
})

t.test('maps refusals and failures to outcomes', async (t) => {
  const outcomes: [problem: string, outcome: string][] = [
    ['forbidden', '4'],
    ['not-found', '4'],
    ['busybody', '4'],
    ['not-busy', '4'],
    ['unavailable', '4'],
    ['internal-error', '8'],
    ['busy', '8'],
    ['outcome-unknown', '8'],
    ['database-unavailable', '8'],
    ['clinical-backend-unavailable', '8']
  ]
  for (const [problem, outcome] of outcomes)
    t.match(eventOf({ problem }), { outcome, outcomeDesc: problem }, problem)
})
