import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { orders, organization, pathOf, patient, transitionTo, withQuery, world } from '../fixtures/world.js'

interface Event {
  id: string
  subtype: { code: string }[]
  recorded: string
  outcomeDesc?: string
  agent: { who?: { reference?: string; identifier?: { value: string } } }[]
  entity: { what: { reference?: string; identifier?: { value: string; type?: { text: string } } } }[]
}

const referencesOf = ({ entity }: Event) => entity.flatMap(({ what }) => what.reference ?? [])
const hashesOf = ({ entity }: Event) =>
  entity.flatMap(({ what: { identifier } }) => (identifier?.type ? identifier.value : []))
const operationsOf = (events: Event[]) => events.map(({ subtype }) => subtype[1]?.code)

t.test('audit events', async (t) => {
  const app = await testApp(t)
  const { nurse, otherNurse, otherProvider, ...w } = await world(app)
  const list = async (caller: typeof nurse, query: Record<string, string>): Promise<Event[]> =>
    (await caller.get(withQuery(`${orders}/audit-events`, query), 200)).body
  const { order } = await w.submitted()

  t.test('have the shape of FHIR', async (t) => {
    await nurse.get(`${pathOf(order)}/details`, 200, { 'x-request-id': unknownId })
    const [event] = await list(nurse, { order })
    t.match(event, {
      resourceType: 'AuditEvent',
      type: { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest' },
      subtype: [
        { system: 'http://hl7.org/fhir/restful-interaction', code: 'read' },
        { code: 'getOrderDetails' }
      ],
      action: 'R',
      recorded: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
      outcome: '0',
      outcomeDesc: undefined,
      agent: [
        {
          type: { text: 'MonitoringResponsible' },
          who: { identifier: { value: 'Nora Nurse' } },
          requestor: true
        },
        { who: { reference: organization('region') }, requestor: false }
      ],
      source: { observer: { display: /\/ssl-order\/v1$/ } },
      entity: [
        { type: { code: '1' }, role: { code: '1' } },
        { what: { reference: order }, type: { code: '2' }, role: { code: '4' } },
        { what: { identifier: { value: unknownId } }, type: { code: 'XrequestId' } }
      ]
    })
    t.notMatch(JSON.stringify(event), patient('p1'))
    t.equal(event && hashesOf(event).length, 1)
    t.same((await nurse.get(`${orders}/audit-event/${event?.id}`, 200)).body, event)
    const hex = Buffer.from('/Patient/').toString('hex')
    const named = await app.sql`select from audit_events where strpos(patients::text, ${hex}) > 0`
    t.same(named, [])
  })

  t.test('hide the order of a line from other organizations', async (t) => {
    const { order, lines } = await w.submitted()
    const line = pathOf(lines[0] ?? '')
    const ofLine = `${orders}/trace-lines?orderLine=${encodeURIComponent(lines[0] ?? '')}`
    const [trace] = (await nurse.get(ofLine, 200)).body
    for (const stranger of [otherNurse, otherProvider]) {
      await stranger.get(line, 404)
      await stranger.patch(line, transitionTo('CANCELLED'), 404)
      await stranger.get(`${orders}/trace-line/${trace.id}`, 404)
      await stranger.get(ofLine, 200)
      const own = await list(stranger, {})
      t.strictSame(operationsOf(own).slice(0, 4), [
        'listTraceLine',
        'getTraceLine',
        'patchOrderLine',
        'getOrderLine'
      ])
      for (const event of own.slice(0, 4)) {
        t.same(referencesOf(event), [])
        t.same(referencesOf((await stranger.get(`${orders}/audit-event/${event.id}`, 200)).body), [])
      }
      t.same(await list(stranger, { order }), [], 'and does not confirm a guess')
    }
    t.equal((await list(nurse, { order })).filter(({ outcomeDesc }) => outcomeDesc === 'not-found').length, 6)
  })
})
