import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { deliverLine, lineTrace, read, submittedLine } from '../fixtures/devices.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome, secret } from '../fixtures/routes/refusal.js'
import { add, orders, pathOf, transitionTo, world } from '../fixtures/world.js'

const app = await testApp(t)
const fulfil = transitionTo('FULFILLED')

/** The time of the submission of the order of a line. */
const submission = async (line: string): Promise<string> => {
  const [row] = await app.sql`select submitted_at from order_lines where id = ${idOf(line)}`
  return row?.submitted_at.toISOString()
}

t.test('a fulfilled line shows when it was carried out and who received the delivery', async (t) => {
  const w = await world(app)
  const old = await deliverLine(w)
  const line = await submittedLine(w, { action: 'REPLACE', relatedTo: old })
  const performedAt = await submission(line)
  const offset = performedAt.replace('Z', '+00:00')
  const report = [add('/performedAt', offset), add('/receivedBy', `Ida ${secret}`)]
  await w.provider.patch(pathOf(line), [...report, ...fulfil], 204)
  const reported = { performedAt, receivedBy: `Ida ${secret}` }
  const shown = await read(w.provider, line)
  t.match(shown, { ...reported, device: { from: performedAt, until: null } })
  t.equal((await read(w.nurse, old)).device.until, performedAt)
  t.match(await read(w.nurse, old), { performedAt: null, receivedBy: null })

  const order = pathOf(shown.order)
  const list = `${orders}/order-lines?order=${encodeURIComponent(shown.order)}`
  for (const caller of [w.nurse, w.provider]) {
    t.match((await caller.get(`${order}/details`, 200)).body.orderLines, [reported])
    t.match((await caller.get(`${order}?expand=orderLines`, 200)).body.expanded[line], reported)
    t.match((await caller.get(list, 200)).body, [reported])
    const csv = await caller.get(list, undefined, { accept: 'text/csv' })
    t.match(csv.body, /,performedAt,receivedBy\r\n/)
    t.ok(csv.body.endsWith(`,${performedAt},Ida ${secret}\r\n`))
  }

  const [moved] = (await lineTrace(w.nurse, line)).filter(({ statusChange }) => statusChange).slice(-1)
  t.ok(String(moved?.timestamp) > performedAt, 'the trace has the time of recording')
  const [row] = await app.sql`select closed_at from order_lines where id = ${idOf(line)}`
  t.equal(row?.closed_at.toISOString(), moved?.timestamp)
  const [event] = await app.sql`
    select time from events where subject_id = ${idOf(line)} and new_status = 'FULFILLED'`
  t.ok(event?.time.toISOString() > performedAt)
  for (const table of ['trace_lines', 'events', 'audit_events', 'orders', 'devices']) {
    const rows = await app.sql.unsafe(`select from ${table} t where strpos(t::text, '${secret}') > 0`)
    t.equal(rows.length, 0, table)
  }
})

t.test('the reported end of a line replaces a removed end', async (t) => {
  const w = await world(app)
  const line = await deliverLine(w)
  const pickup = await submittedLine(w, { action: 'PICKUP', relatedTo: line })
  const performedAt = await submission(pickup)
  await w.nurse.patch(pathOf(line), [add('/device/endReason', 'LOST')], 204)
  await w.provider.patch(pathOf(pickup), [...fulfil, add('/performedAt', performedAt)], 204)
  await w.nurse.patch(pathOf(line), [{ op: 'remove', path: '/device/endReason' }], 204)
  t.match((await read(w.nurse, line)).device, { until: performedAt, endReason: { code: 'RETURNED' } })
})

t.test('a device never ends before it begins', async (t) => {
  const w = await world(app)
  const line = await deliverLine(w)
  const pickup = await submittedLine(w, { action: 'PICKUP', relatedTo: line })
  // The clock of another instance was ahead.
  await app.sql`update devices set used_from = now() + interval '1 hour' where line_id = ${idOf(line)}`
  const report = [...fulfil, add('/performedAt', await submission(pickup))]
  await w.provider.patch(pathOf(pickup), report, 204)
  const { device } = await read(w.nurse, line)
  t.equal(device.until, device.from)
})

t.test(
  'only the provider reports the time, with FULFILLED, and not before the submission or in the future',
  async (t) => {
    const w = await world(app)
    const line = await submittedLine(w)
    const done = await deliverLine(w, [add('/receivedBy', 'Ida')])
    const submitted = await submission(line)
    const early = new Date(new Date(submitted).getTime() - 1).toISOString()
    const receivedBy = add('/receivedBy', 'Ida')
    const performedAt = add('/performedAt', submitted)
    for (const [by, url, patch, refusal] of [
      [w.provider, line, [performedAt], '422 read-only /0/value'],
      [w.provider, line, [receivedBy], '422 read-only /0/value'],
      [w.provider, line, [receivedBy, ...transitionTo('UNFULFILLED')], '422 read-only /0/value'],
      [w.provider, done, [performedAt], '422 read-only /0/value'],
      [w.provider, done, [add('/receivedBy', 'Bo')], '422 read-only /0/value'],
      [w.provider, done, [{ op: 'remove', path: '/receivedBy' }], '422 read-only /0'],
      [w.nurse, line, [receivedBy], '403 not-your-move /0/value'],
      [w.nurse, line, [performedAt, ...fulfil], '403 not-your-move /0/value'],
      [w.otherProvider, line, [performedAt, ...fulfil], '404 not-found'],
      [w.provider, line, [...fulfil, add('/performedAt', early)], '422 invalid-period /1/value'],
      [
        w.provider,
        line,
        [...fulfil, add('/performedAt', '2999-01-01T00:00:00Z')],
        '422 invalid-period /1/value'
      ],
      [w.provider, line, [...fulfil, add('/performedAt', '2026-01-01')], '422 invalid-result /1/value'],
      [w.provider, line, [...fulfil, add('/receivedBy', 'x'.repeat(101))], '422 invalid-result /1/value'],
      [w.provider, line, [...transitionTo('SUBMITTED'), receivedBy], '422 read-only /1/value']
    ] as const)
      t.equal(outcome(await by.patch(pathOf(url), patch)), refusal, JSON.stringify(patch))
    t.match(await read(w.nurse, line), { status: { code: 'SUBMITTED' }, performedAt: null, receivedBy: null })
    await w.provider.patch(pathOf(line), [...fulfil, add('/receivedBy', 'x'.repeat(100))], 204)
    const order = await w.createDraft()
    const body = { order, item: w.monitor, action: 'DELIVER' }
    t.equal(
      outcome(await w.nurse.post(`${orders}/order-line`, { ...body, receivedBy: 'Ida' })),
      '400 invalid-body /receivedBy'
    )
    t.equal(
      outcome(await w.nurse.post(`${orders}/order-line`, { ...body, performedAt: null, receivedBy: null })),
      '201'
    )
  }
)
