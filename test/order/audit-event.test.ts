import t from 'tap'
import type { AuditRow } from '../../src/audit/tables.js'
import { auditEventOf } from '../../src/audit-api/fhir-audit-event.js'
import type { Ports } from '../../src/ports.js'
import { hashOf } from '../fixtures/audit/rows.js'

const resourceUrls = {
  base: (api: string) => `https://x/${api}/v1`,
  url: ({ path }: { path: string }, id: string) => `https://x/${path}/${id}`
} as unknown as Ports['resourceUrls']

const [patient, other] = ['https://fhir.example/Patient/p', 'https://fhir.example/Patient/q']
const hashed = (reference: string) => hashOf(Buffer.from('key'), reference)

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
  patients: [hashed(patient), null, hashed(other), hashed(patient)],
  orders: ['1', '2', null, '3'],
  sameAs: null
}
const eventOf = (more: Partial<AuditRow> = {}, only?: string[]) =>
  auditEventOf({ resourceUrls }, { ...row, ...more }, only)

t.test('names each patient and order of a record once, and its user', async (t) => {
  const named = (event: ReturnType<typeof eventOf>) =>
    event.entity.map(({ what }) => ('reference' in what ? what.reference : what.identifier?.value))
  const orders = ['1', '2', '3'].map((id) => `https://x/order/${id}`)
  t.same(named(eventOf()), ['uYwBj0Q2CGu7EfThTHN63Q', 'YeuVdUbVbB4ddYje4E6jQw', ...orders, 'r'])
  t.same(named(eventOf({}, ['2', '4'])), ['https://x/order/2', 'r'])
  t.same(named(eventOf({}, [])), ['r'])
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

t.test('maps errors of clients and of the server to outcomes', async (t) => {
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
  t.equal(eventOf().outcome, '0')
  t.notOk('outcomeDesc' in eventOf())
})
