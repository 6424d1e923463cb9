import t from 'tap'
import { clinicalId } from '../../src/clinical/reference.js'
import { testApp } from '../fixtures/app.js'
import { recordingServer } from '../fixtures/clinical.js'
import { outcome, payloadOf } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, clinicalIn, moveTo, orders, pathOf, world } from '../fixtures/world.js'

/**
 * Texts that some parser reads as `<base>/Patient/x`, and that must be refused. `other` is an
 * origin that must not be requested.
 */
function hostile(base: string, other: string): string[] {
  const { origin, host, port, pathname } = new URL(base)
  const good = `${base}/Patient/x`
  const at = (authority: string) => `http://${authority}${pathname}/Patient/x`
  return [
    // Other hosts and ports in the authority.
    at(new URL(other).host),
    ...[`user@${host}`, `user:pw@${host}`, `:pw@${host}`, `@${host}`, `${host}@${new URL(other).host}`].map(
      at
    ),
    ...[
      `${host}.evil.example`,
      `${host}@evil.example`,
      `${host}%40evil.example`,
      `${host}:80`,
      `${host}0`
    ].map(at),
    ...[`${host}\\@${new URL(other).host}`, `${new URL(other).host}#@${host}`, `${host}%00.evil.example`].map(
      at
    ),
    ...[
      'localhost',
      '127.1',
      '0x7f.1',
      '0x7f000001',
      '2130706433',
      '017700000001',
      '127.0.0.1.',
      '127.000.000.001'
    ].map((name) => at(`${name}:${port}`)),
    ...[
      '[::ffff:127.0.0.1]',
      '[::1]',
      '[::]',
      '0',
      '①②⑦.0.0.1',
      '１２７.0.0.1',
      '127。0。0。1',
      '127．0．0．1'
    ].map((name) => at(`${name}:${port}`)),
    ...[
      'fhir.example',
      'fhіr.example',
      'ｆhir.example',
      'xn--fhr-qwe.example',
      '169.254.169.254',
      'metadata'
    ].map(at),
    ...[`${origin}evil.example/Patient/x`, `${base}.evil/Patient/x`, `${base}evil/Patient/x`],
    // Other schemes and no scheme.
    ...[
      `https://${host}${pathname}/Patient/x`,
      good.replace('http:', 'HTTP:'),
      good.replace('http:', 'Http:')
    ],
    ...[
      `ftp://${host}${pathname}/Patient/x`,
      `gopher://${host}${pathname}/Patient/x`,
      `ws://${host}${pathname}/Patient/x`
    ],
    ...[
      'javascript:alert(1)//fhir/Patient/x',
      'data:,/fhir/Patient/x',
      'file:///fhir/Patient/x',
      'blob:http://x/Patient/x'
    ],
    ...[
      'urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7',
      'http:///fhir/Patient/x',
      'http:fhir/Patient/x',
      'http://'
    ],
    ...['Patient/x', '/fhir/Patient/x', `//${host}${pathname}/Patient/x`, 'x', '', ' '],
    // Paths to other resources, encoded or not.
    ...[
      '../Patient/x',
      './Patient/x',
      '/Patient/x',
      '%2e%2e/Patient/x',
      '.%2e/Patient/x',
      '..%2fPatient/x'
    ].map((path) => `${base}/${path}`),
    ...[
      'x/../../admin',
      'x/..',
      '..',
      '.',
      '../Patient/x',
      '%2e%2e',
      '%2e',
      'x%2f..%2fadmin',
      'x%2F',
      'x%5c..'
    ].map((id) => `${base}/Patient/${id}`),
    ...['/x', 'x//', 'x/_history/1', '$export', '_search', 'x/$everything', 'x/Observation', '$export/x'].map(
      (id) => `${base}/Patient/${id}`
    ),
    ...[
      'x?',
      'x?y',
      'x?_format=html',
      '?x',
      '?_id=x',
      'x#',
      'x#y',
      '#x',
      'x;y',
      'x;y=z',
      'x&y',
      'x,y',
      'x|1'
    ].map((id) => `${base}/Patient/${id}`),
    ...[
      'x\\..\\admin',
      '\\x',
      'x\\',
      'x\t',
      'x\n',
      'x\r\n',
      '\tx',
      'x y',
      'x%20',
      'x+y',
      'x%00',
      'x%0d%0aa: b',
      'x:y'
    ].map((id) => `${base}/Patient/${id}`),
    ...[
      'å',
      'ｘ',
      'x․․',
      '‥',
      'x／y',
      'x\u200b',
      'x\u2028',
      '*',
      "'",
      '"',
      '<x>',
      '{x}',
      'x_y',
      'x~y',
      '@x',
      'x@y'
    ].map((id) => `${base}/Patient/${id}`),
    ...['x'.repeat(65), 'x'.repeat(1900)].map((id) => `${base}/Patient/${id}`),
    `${base}/${'x/'.repeat(900)}Patient/x`,
    ...['patient', 'PATIENT', 'Patients', 'Practitioner', 'Patient%2f', 'Pаtient', 'Patient;a'].map(
      (type) => `${base}/${type}/x`
    ),
    ...[
      `${base}/Patient`,
      `${base}/Patient/`,
      `${base}/`,
      base,
      origin,
      `${base}\\Patient\\x`,
      `${base}/x/Patient/x`
    ],
    ...[
      `${origin}/Patient/x`,
      `${origin}//fhir/Patient/x`,
      `${origin}/x/..${pathname}/Patient/x`,
      `${origin}/FHIR/Patient/x`
    ],
    ...[
      ` ${good}`,
      `${good} `,
      `\t${good}`,
      `\n${good}`,
      good.replace('//', '/\t/'),
      good.replace('/fhir', '/\nfhir')
    ],
    ...[
      good.replace('http://', 'http:\\\\'),
      good.replace('http://', 'http:/'),
      good.replace('http://', 'http:////')
    ],
    ...[`view-source:${good}`, `url:${good}`, `<${good}>`, `${good} ${good}`, `${good},${good}`]
  ]
}

t.test('requests only <base>/<Type>/<id>', async (t) => {
  const [fhir, other] = [await recordingServer(t), await recordingServer(t)]
  const base = `${fhir.origin}/fhir`
  const app = await testApp(t, { CLINICAL_FHIR_URL: base })
  const w = await world(app, base)
  const order = await w.createDraft()
  const patients = hostile(base, other.origin)
  t.ok(patients.length > 120)
  t.equal(new Set(patients).size, patients.length)
  fhir.asked.length = 0

  await writingNothing(t, app.sql, async () => {
    for (const url of patients) {
      const receiver = { name: 'R', patient: url }
      const organization = url.replaceAll('Patient', 'Organization')
      const responses = [
        await w.nurse.post(`${orders}/order`, w.draft({ receiver })),
        await w.nurse.post(`${orders}/order`, w.draft({ receiver: { name: 'R', clinicalRef: url } })),
        await w.nurse.patch(pathOf(order), [{ op: 'replace', path: '/receiver/patient', value: url }]),
        await w.nurse.post(`${catalogue}/black-list`, { patient: url, item: w.monitor }),
        await w.clerk.post(`${orders}/party`, { allowedRoles: ['SELLER'], name: 'P', organization })
      ]
      t.same(
        responses.map(outcome),
        [...['/receiver/patient', '/receiver/patient', '/receiver/patient', '/patient', '/organization']].map(
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

t.test('supports a base with a name, a port and a path', async (t) => {
  const base = 'https://fhir.example/r4'
  t.equal(clinicalId(`${base}/Patient/x`, 'Patient', base), 'x')
  const others = [
    ...[
      'https://fhir.example:443/r4',
      'https://FHIR.example/r4',
      'HTTPS://fhir.example/r4',
      'http://fhir.example/r4'
    ],
    ...['https://fhir.example.evil/r4', 'https://fhir.example@evil/r4', 'https://fhir.example./r4'],
    ...[
      'https://fhir.example/r4/..',
      'https://fhir.example/R4',
      'https://fhir.example/r44',
      'https://fhіr.example/r4'
    ]
  ]
  for (const other of others) t.equal(clinicalId(`${other}/Patient/x`, 'Patient', base), undefined, other)
  t.equal(clinicalId('https://fhir.example.evil/Patient/x', 'Patient', 'https://fhir.example'), undefined)
  t.equal(clinicalId('https://fhir.example@evil/Patient/x', 'Patient', 'https://fhir.example'), undefined)
})

t.test('sends no request without a clinical backend', async (t) => {
  const there = await recordingServer(t)
  const app = await testApp(t)
  const w = await world(app, `${there.origin}/fhir`)
  const order = await w.createDraft()
  const { patient } = clinicalIn(`${there.origin}/fhir`)
  await w.nurse.patch(
    pathOf(order),
    [{ op: 'replace', path: '/receiver/patient', value: patient('p2') }],
    204
  )
  await w.addLine(order)
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p3'), item: w.monitor })
  await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
  t.same(there.asked, [])
})

/** Short and in ASCII, for assertion messages. */
function shown(url: string): string {
  const escaped = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(url.slice(0, 200)).replace(/[^ -~]/g, escaped)
}
