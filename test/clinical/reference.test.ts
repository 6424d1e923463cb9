import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { recordingServer } from '../fixtures/clinical.js'
import { outcome, payloadOf } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, clinicalIn, orders, pathOf, replace, transitionTo, world } from '../fixtures/world.js'

/**
 * Texts that must be rejected although some parser reads them as `<base>/Patient/x`. `other` is an
 * origin that must not be requested.
 */
function hostile(base: string, other: string): string[] {
  const { origin, host, port, pathname } = new URL(base)
  const elsewhere = new URL(other).host
  const good = `${base}/Patient/x`
  const authorities = [
    ...[elsewhere, `user:pw@${host}`, `@${host}`, `${host}@${elsewhere}`, `${host}\\@${elsewhere}`],
    ...[`${elsewhere}#@${host}`, `${host}.evil.example`, `${host}%40evil.example`, `${host}%00.evil.example`],
    ...[`${host}0`, `localhost:${port}`, `127.1:${port}`, `0x7f000001:${port}`, `2130706433:${port}`],
    ...[`127.0.0.1.:${port}`, `[::ffff:127.0.0.1]:${port}`, `①②⑦.0.0.1:${port}`, `127。0。0。1:${port}`],
    'fhіr.example'
  ]
  const ids = [
    ...['..', '.', '%2e%2e', '..%2fadmin', 'x/..', 'x/../../admin', '/x', 'x//', 'x/_history/1', '$export'],
    ...['x?', '?_id=x', 'x#', 'x;y', 'x\\..\\admin', 'x\t', 'x\n', 'x y', 'x%00', 'x%0d%0aa: b', 'å', 'ｘ'],
    ...['x／y', 'x\u200b', 'x\u2028', '<x>', 'x_y', 'x@y', '', 'x'.repeat(65), 'x'.repeat(1900)]
  ]
  return [
    ...authorities.map((authority) => `http://${authority}${pathname}/Patient/x`),
    ...ids.map((id) => `${base}/Patient/${id}`),
    ...['patient', 'Practitioner', 'Patient%2f', 'Pаtient', 'x/Patient'].map((type) => `${base}/${type}/x`),
    ...['../Patient/x', './Patient/x', '%2e%2e/Patient/x', 'Patient', ''].map((path) => `${base}/${path}`),
    ...['/Patient/x', '//fhir/Patient/x', `/x/..${pathname}/Patient/x`].map((path) => `${origin}${path}`),
    // Other schemes and no scheme.
    ...['https:', 'HTTP:', 'ftp:', 'ws:', 'view-source:http:', ''].map((scheme) =>
      good.replace('http:', scheme)
    ),
    ...['javascript:alert(1)//fhir/Patient/x', 'data:,/fhir/Patient/x', 'file:///fhir/Patient/x'],
    ...['http:fhir/Patient/x', 'http://', 'urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7', 'Patient/x', ' '],
    ...['\\\\', '/', '////', '/\t/'].map((slashes) => good.replace('//', slashes)),
    ...[`${base}\\Patient\\x`, ` ${good}`, `${good} `, `\n${good}`, `<${good}>`, `${good},${good}`]
  ]
}

t.test('requests only <base>/<Type>/<id>', async (t) => {
  const [fhir, other] = [await recordingServer(t), await recordingServer(t)]
  const base = `${fhir.origin}/fhir`
  const app = await testApp(t, { CLINICAL_FHIR_URL: base })
  const w = await world(app, base)
  const order = await w.createDraft()
  const patients = hostile(base, other.origin)
  t.equal(new Set(patients).size, patients.length)
  fhir.asked.length = 0

  await writingNothing(t, app.sql, async () => {
    for (const url of patients) {
      const receiver = { name: 'R', patient: url }
      const organization = url.replaceAll('Patient', 'Organization')
      const responses = [
        await w.nurse.post(`${orders}/order`, w.draft({ receiver })),
        await w.nurse.post(`${orders}/order`, w.draft({ receiver: { name: 'R', clinicalRef: url } })),
        await w.nurse.patch(pathOf(order), [replace('/receiver/patient', url)]),
        await w.nurse.post(`${catalogue}/black-list`, { patient: url, item: w.monitor }),
        await w.clerk.post(`${orders}/party`, { allowedRoles: ['SELLER'], name: 'P', organization })
      ]
      t.same(
        responses.map(outcome),
        [...['/receiver/patient', '/receiver/patient', '/0/value', '/patient', '/organization']].map(
          (pointer) => `422 dangling-reference ${pointer}`
        ),
        shown(url)
      )
    }
  })
  const long = { name: 'R', patient: `${base}/Patient/${'x'.repeat(3000)}` }
  t.equal(
    outcome(await w.nurse.post(`${orders}/order`, w.draft({ receiver: long }))),
    '400 invalid-body /receiver/patient'
  )
  t.same(fhir.asked, [])
  t.same(other.asked, [])

  const { send } = w.nurse
  for (const id of ['x', 'A-1.b', '-', 'x'.repeat(64)]) {
    const body = w.draft({ receiver: { name: 'R', patient: `${base}/Patient/${id}` } })
    const response = await send({ method: 'POST', url: `${orders}/order`, ...payloadOf(body) })
    t.equal(response.status, 201, id)
    t.match(fhir.asked.splice(0), [new RegExp(`^GET /fhir/Patient/${id} Bearer [^ ]+$`)])
  }
  t.same(other.asked, [])
})

t.test('sends no request without a clinical backend', async (t) => {
  const there = await recordingServer(t)
  const app = await testApp(t)
  const w = await world(app, `${there.origin}/fhir`)
  const order = await w.createDraft()
  const { patient } = clinicalIn(`${there.origin}/fhir`)
  await w.nurse.patch(pathOf(order), [replace('/receiver/patient', patient('p2'))], 204)
  await w.addLine(order)
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p3'), item: w.monitor })
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  t.same(there.asked, [])
})

/** Short and in ASCII, for assertion messages. */
function shown(url: string): string {
  const escaped = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(url.slice(0, 200)).replace(/[^ -~]/g, escaped)
}
