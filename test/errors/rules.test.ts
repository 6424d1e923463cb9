import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { bodies, vs, writerOf } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import {
  assertRejections,
  type FaultyRequest,
  jsonHeader,
  outcome,
  payloadOf,
  secret
} from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, orders, scale } from '../fixtures/world.js'

t.test('dates, codings and initial statuses', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const full = bodies(g)
  const post = (path: string, more: object): InjectOptions => ({
    method: 'POST',
    url: path,
    ...payloadOf({ ...full[path], ...more })
  })

  t.test('dates', async (t) => {
    const period = (start: unknown, end: unknown, wanted: string): FaultyRequest => {
      const request = post(`${orders}/contract`, { validityPeriod: { start, end } })
      return [`from ${JSON.stringify(start)} to ${JSON.stringify(end)}`, request, wanted]
    }
    const last = [2999, 12, 31]
    const none = [[2026, 2, 30], '2026-02-30', [2026, 13, 1], [2026, 1, 0], '0000-01-01', [10000, 1, 1]]
    const odd = [[2026, 1], [], ['2026', 1, 1], [2026.5, 1, 1], '2026-1-1', '', '2026-01-01T00:00:00Z']
    await writingNothing(t, app.sql, async () => {
      await assertRejections(t, g.clerk, [
        ...[...none, [1e21, 1, 1]].map((day) =>
          period(day, last, '422 invalid-period /validityPeriod/start')
        ),
        ...none.map((day) => period([1, 1, 1], day, '422 invalid-period /validityPeriod/end')),
        period([2026, 1, 2], [2026, 1, 1], '422 invalid-period /validityPeriod'),
        period('2999-12-31', '2026-01-01', '422 invalid-period /validityPeriod')
      ])
      for (const day of odd) {
        const [, request] = period(day, last, '')
        t.match(
          outcome(await g.clerk.send(request)),
          /^400 invalid-body \/validityPeriod\/start/,
          JSON.stringify(day)
        )
      }
      const contract = JSON.stringify({ ...full[`${orders}/contract`], reminderDays: 77 })
      for (const number of ['1e400', '-1', '36501', '1e21', '0.5']) {
        const payload = contract.replace('"reminderDays":77', `"reminderDays":${number}`)
        const request = { method: 'POST', url: `${orders}/contract`, headers: jsonHeader, payload } as const
        const response = await g.clerk.send(request)
        t.equal(outcome(response), '400 invalid-body /reminderDays', `reminderDays ${number}`)
      }
    })
  })

  t.test('timestamps of notes', async (t) => {
    const none = ['', 'now', '2026-01-01', '2026-02-30T10:00:00Z', '2026-01-01T24:00:00Z']
    const odd = ['2026-01-01T10:00:60Z', '2026-01-01T10:00:00', '2026-01-01T10:00:00+24:00']
    // Moments outside the calendar of PostgreSQL or of four-digit ISO 8601.
    const beyond = ['2016-12-31T23:59:60Z', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59']
    await writingNothing(t, app.sql, async () => {
      for (const timestamp of [...none, ...odd, ...beyond]) {
        const response = await g.nurse.send(post(`${orders}/order`, { notes: [{ note: secret, timestamp }] }))
        t.match(outcome(response), /^4(00|22) [a-z-]+ \/notes\/0\/timestamp$/, JSON.stringify(timestamp))
      }
    })
  })

  t.test('codings', async (t) => {
    const coded: [path: string, name: string, set: string, known: string, bare: boolean][] = [
      [`${orders}/order-line`, 'action', 'order-line-action', 'DELIVER', true],
      [`${orders}/order-line`, 'status', 'order-line-status', 'SUBMITTED', true],
      [`${orders}/order`, 'status', 'order-status', 'DRAFT', true],
      [`${catalogue}/catalogue`, 'status', 'catalogue-status', 'ACTIVE', true],
      [`${catalogue}/catalogue-item`, 'status', 'catalogue-item-status', 'AVAILABLE', true],
      [`${catalogue}/annotation`, 'value', 'device-safety', 'TBD', false]
    ]
    const codes = ['', 'NOPE', ' DRAFT', '__proto__', 'ＤＲＡＦＴ', "'--"]
    await writingNothing(t, app.sql, async () => {
      for (const [path, name, set, known, bare] of coded) {
        const systems = ['', set, 'http://snomed.info/sct', `https://evil.example/vs/${set}`]
        const values = [
          ...codes.map((code) => vs(set, code)),
          ...systems.map((system) => ({ system, code: known })),
          vs('party-role', known),
          ...(bare ? codes : [])
        ]
        const target = name === 'value' ? { name: 'ehealth/device-safety' } : {}
        const cases = values.map((value): FaultyRequest => {
          const request = post(path, { ...target, order: undefined, ...orderOf(path), [name]: value })
          return [`${path} ${name} ${JSON.stringify(value)}`, request, `422 unknown-coding /${name}`]
        })
        await assertRejections(t, writerOf(g, path), cases)
      }
      const roles = (...allowedRoles: string[]) => post(`${orders}/party`, { allowedRoles })
      const service = (serviceType: unknown) =>
        post(`${catalogue}/catalogue-item`, { ...asService, serviceType })
      await assertRejections(t, g.clerk, [
        ...codes.map(
          (code): FaultyRequest => [
            `the role ${code}`,
            roles('BUYER', code),
            '422 unknown-coding /allowedRoles/1'
          ]
        ),
        ...[...codes, vs('order-line-action', 'DELIVER')].map(
          (code): FaultyRequest => [
            `the service type ${JSON.stringify(code)}`,
            service(code),
            '422 unknown-coding /serviceType'
          ]
        )
      ])
      const annotated: [name: string, system: string, code: string][] = [
        ['ehealth/device-type', scale.system, '1'],
        ['ehealth/device-type', 'urn:oid:1.2.208.176.2.1', 'NPU03011'],
        ['ehealth/device-measurement-unit', 'urn:oid:1.2.208.176.2.1', 'DNK05472'],
        ['ehealth/device-calibration-period', vs('device-calibration-period', '').system, '1M'],
        ['ehealth/unheard-of', scale.system, '1'],
        ['free', scale.system, '1'],
        ['free', 'https://evil.example', scale.code]
      ]
      await assertRejections(
        t,
        g.clerk,
        annotated.map(([name, system, code]): FaultyRequest => {
          const request = post(`${catalogue}/annotation`, { name, value: { system, code } })
          return [`annotation ${name} ${system} ${code}`, request, '422 unknown-coding /value']
        })
      )
    })
  })
  const asService = { catalogueItemType: 'Service', manufacturer: null, model: null, version: null }
  const orderOf = (path: string) => (path.endsWith('order-line') ? { order: g.order } : {})

  t.test('initial statuses', async (t) => {
    const statuses = ['SUBMITTED', 'submitted', 'ACCEPTED', 'REJECTED', 'FULFILLED', 'CANCELLED']
    const wanted = '422 not-initial-status /status'
    const order = (status: unknown): FaultyRequest => [
      JSON.stringify(status),
      post(`${orders}/order`, { status }),
      wanted
    ]
    await writingNothing(t, app.sql, async () => {
      await assertRejections(t, g.nurse, [...statuses, vs('order-status', 'SUBMITTED')].map(order))
    })
  })
})
