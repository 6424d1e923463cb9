import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogue, organization, pathOf, patient, world } from '../fixtures/world.js'

const device = { system: 'http://snomed.info/sct', code: '258057004' }
const unit = { system: 'urn:oid:1.2.208.176.2.1', code: 'NPU21692' }
const query = (filters: Record<string, string | string[]>) => {
  const pairs = Object.entries(filters).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value])
  )
  return `${catalogue}/catalogue-items?${new URLSearchParams(pairs)}`
}
const namesOf = ({ body }: { body: { name: string }[] }) => body.map((item) => item.name)

t.test('item search', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, nurse, provider, buyer, otherBuyer, monitor, repair } = w
  const other = app.as('AdministrativeClerk', organization('other-region'))
  const annotate = (who: typeof clerk, item: string, name: string, value: object, of = buyer) =>
    who.create(`${catalogue}/annotation`, { catalogueItem: item, buyer: of, name, value })
  await annotate(clerk, monitor, 'ehealth/device-type', device)
  await annotate(clerk, monitor, 'ehealth/device-measurement-type', unit)
  await annotate(clerk, repair, 'ehealth/device-type', device)
  await annotate(other, repair, 'ehealth/device-measurement-type', unit, otherBuyer)
  const hidden = await clerk.create(`${catalogue}/catalogue-item`, {
    catalogueItemType: 'DeviceModel',
    catalogue: w.catalogue,
    name: 'Not white-listed',
    manufacturer: 'M',
    model: 'M'
  })
  const both = ['Blood pressure monitor', 'Repair of the blood pressure monitor']

  t.test('filters', async (t) => {
    const cases: [filters: Record<string, string | string[]>, names: string[]][] = [
      [{ buyer }, both],
      [{ buyer: otherBuyer }, []],
      [{ buyer: buyer.replace(/.{12}$/, '000000000000') }, []],
      [{ buyer: 'https://elsewhere.example/ssl-order/v1/party/1' }, []],
      [{}, [both[0] ?? '', 'Not white-listed', both[1] ?? '']],
      [{ catalogue: w.catalogue, catalogueItemType: 'Service' }, [both[1] ?? '']],
      [{ serviceType: 'repair' }, [both[1] ?? '']],
      [{ status: 'DISCONTINUED' }, []],
      [{ q: 'BLOOD  monitor' }, both],
      [{ q: 'ua-767' }, [both[0] ?? '']],
      [{ q: '100%' }, []],
      [{ buyer, annotation: `ehealth/device-type:${device.system}|${device.code}` }, both],
      [
        {
          buyer,
          annotation: [
            `ehealth/device-type:${device.system}|${device.code}`,
            `ehealth/device-measurement-type:${unit.system}|${unit.code}`
          ]
        },
        [both[0] ?? '']
      ],
      [
        { buyer, annotation: [`${device.system}/${device.code}`, `${unit.system}/${unit.code}`] },
        [both[0] ?? '']
      ],
      [{ annotation: [`${device.system}/${device.code}`, `${unit.system}/${unit.code}`] }, both],
      [{ buyer, annotation: `ehealth/device-safety:${device.system}|${device.code}` }, []],
      [{ buyer, patient: patient('p1') }, both]
    ]
    for (const [filters, names] of cases)
      t.same(namesOf(await nurse.get(query(filters), 200)), names, JSON.stringify(filters))
  })

  t.test('items include annotations of the buyer for callers that may read them', async (t) => {
    const [item] = (await nurse.get(query({ buyer, q: 'repair' }), 200)).body
    t.match(item.annotations, [
      {
        catalogueItem: repair,
        buyer,
        name: 'ehealth/device-type',
        value: { ...device, display: 'Non-invasive blood pressure monitor' }
      }
    ])
    t.equal(item.annotations.length, 1, 'not those of another buyer')
    t.notOk('annotations' in (await nurse.get(query({ q: 'repair' }), 200)).body[0])
    const blind = app.as('MonitoringResponsible', organization('region'), {
      permissions: ['CatalogueItem.read']
    })
    t.notOk('annotations' in (await blind.get(query({ buyer }), 200)).body[0])
    await blind.get(query({ annotation: `${device.system}/${device.code}` }), 403)
    t.notOk('annotations' in (await provider.get(query({}), 200)).body[0])
    await provider.get(query({ buyer }), 403)
    await provider.get(query({ annotation: `${device.system}/${device.code}` }), 403)
    t.same(namesOf(await w.otherProvider.get(query({}), 200)), [])
  })

  t.test('only MonitoringResponsible filters by the black list of a patient', async (t) => {
    await nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: monitor })
    t.same(namesOf(await nurse.get(query({ buyer, patient: patient('p1') }), 200)), [both[1]])
    t.same(namesOf(await nurse.get(query({ buyer, patient: patient('p2') }), 200)), both)
    for (const who of [clerk, provider]) await who.get(query({ buyer, patient: patient('p1') }), 403)
  })

  t.test('pages', async (t) => {
    const first = await nurse.get(query({ limit: '2', patient: patient('p9') }), 200)
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(first.headers.link ?? '') ?? []
    t.notMatch(next, /Patient|fhir\.example/, 'no plain patient in a URL')
    const { pathname, search } = new URL(next ?? '')
    const second = await nurse.get(pathname + search, 200)
    t.same([...namesOf(first), ...namesOf(second)], [both[0], 'Not white-listed', both[1]])
    t.equal(second.headers.link, undefined)
    t.match(await nurse.get(`${pathname}${search}&q=x`), { status: 400, body: { code: 'invalid-query' } })
    t.match(await nurse.get(`${catalogue}/annotations${search}`), {
      status: 400,
      body: { code: 'invalid-query' }
    })
  })

  t.test('malformed filters', async (t) => {
    for (const filters of [
      { buyer: 'not a url' },
      { buyer: monitor },
      { patient: 'not a url' },
      { patient: organization('x') },
      { annotation: 'nothing' },
      { annotation: 'name|code' },
      { annotation: ':s|c' },
      { annotation: 'n:|c' },
      { annotation: 'n:s|' },
      { status: 'NONSENSE' },
      { serviceType: 'NONSENSE' },
      { catalogueItemType: 'Car' },
      { limit: '0' },
      { limit: 'x' },
      { after: 'x' },
      { colour: 'red' }
    ])
      t.match(
        await nurse.get(query(filters)),
        { status: 400, body: { code: 'invalid-query' } },
        JSON.stringify(filters)
      )
  })
  t.ok(hidden)
})

t.test('what a search returns replaces its item', async (t) => {
  const app = await testApp(t)
  const { clerk, nurse, buyer, monitor, repair } = await world(app)
  for (const catalogueItem of [monitor, repair])
    for (const name of ['ehealth/device-type', 'place'])
      await clerk.create(`${catalogue}/annotation`, { catalogueItem, buyer, name, value: device })
  const found = (await nurse.get(query({ buyer }), 200)).body
  t.equal(found.length, 2)
  for (const item of found) {
    t.equal(item.annotations.length, 2)
    await clerk.put(`${catalogue}/catalogue-item/${item.id}`, item, 204)
    await clerk.put(`${catalogue}/catalogue-item`, { ...item, annotations: null }, 204)
  }
  t.same((await nurse.get(query({ buyer }), 200)).body, found, 'nothing changed')
  const [item] = found
  const changed = { ...item, name: 'Renamed', annotations: [] }
  await clerk.put(`${catalogue}/catalogue-item/${item.id}`, changed, 204)
  const [renamed] = (await nurse.get(query({ buyer, q: 'renamed' }), 200)).body
  t.same(renamed, { ...item, name: 'Renamed' }, 'annotations are ignored')
  const odd = { ...item, annotations: [{ ...item.annotations[0], colour: 'red' }] }
  t.match(await clerk.put(`${catalogue}/catalogue-item/${item.id}`, odd), {
    status: 400,
    body: { code: 'invalid-body' }
  })
})

t.test('bulk create is all or nothing', async (t) => {
  const app = await testApp(t)
  const { clerk, provider, otherProvider, catalogue: list, monitor, buyer } = await world(app)
  const service = (more: object = {}) => ({
    catalogueItemType: 'Service',
    catalogue: list,
    name: 'Training',
    serviceType: 'TRAINING',
    ...more
  })
  const count = async () => (await app.sql`select count(*)::int as n from catalogue_items`)[0]?.n
  const before = await count()

  const { body } = await clerk.post(
    `${catalogue}/catalogue-items`,
    [
      service({ relatedTo: monitor, identifiers: [{ system: 'urn:gtin', value: '1' }] }),
      {
        catalogueItemType: 'DeviceModel',
        catalogue: list,
        name: 'Scale',
        manufacturer: 'M',
        model: 'S1',
        identifiers: [{ system: 'urn:gtin', value: '2' }]
      },
      service({ annotations: [{ buyer, name: 'colour', value: device }] })
    ],
    201
  )
  t.match(body, [
    {
      catalogueItemType: 'Service',
      relatedTo: monitor,
      serviceType: { code: 'TRAINING' },
      status: 'AVAILABLE'
    },
    { catalogueItemType: 'DeviceModel', model: 'S1', version: null, description: null },
    { catalogueItemType: 'Service', relatedTo: null }
  ])
  t.equal(await count(), before + 3)
  t.same((await clerk.post(`${catalogue}/catalogue-items`, [], 201)).body, [])

  const gtin = (value: string) => ({ system: 'urn:gtin', value })
  const refusals: [who: typeof clerk, item: object, status: number, code: string, pointer?: string][] = [
    [clerk, service({ identifiers: [gtin('2')] }), 409, 'duplicate-identifier', '/1/identifiers/0'],
    [
      clerk,
      service({ identifiers: [gtin('8'), gtin('8')] }),
      409,
      'duplicate-identifier',
      '/1/identifiers/1'
    ],
    [clerk, service({ serviceType: 'DANCE' }), 422, 'unknown-coding', '/1/serviceType'],
    [clerk, service({ status: 'LOST' }), 422, 'unknown-coding', '/1/status'],
    [clerk, service({ relatedTo: list }), 422, 'dangling-reference', '/1/relatedTo'],
    [clerk, service({ catalogue: buyer }), 422, 'dangling-reference', '/1/catalogue'],
    [
      clerk,
      service({ relatedTo: body[0] && `${monitor.slice(0, -36)}${body[0].id}` }),
      422,
      'unrelated-item',
      '/1/relatedTo'
    ],
    [clerk, service({ manufacturer: 'M' }), 400, 'invalid-body', '/1/manufacturer'],
    [clerk, service({ catalogueItemType: 'Car' }), 400, 'invalid-body'],
    [clerk, service({ annotations: [{ buyer, name: 'a:b', value: device }] }), 400, 'invalid-body'],
    [
      clerk,
      service({ annotations: [{ buyer, name: 'ehealth/device-safety', value: device }] }),
      422,
      'unknown-coding',
      '/1/annotations/0/value'
    ],
    [
      clerk,
      service({
        annotations: [
          { buyer, name: 'x', value: device },
          { buyer, name: 'x', value: device }
        ]
      }),
      409,
      'duplicate-annotation'
    ],
    [provider, service({ annotations: [{ buyer, name: 'x', value: device }] }), 403, 'forbidden'],
    [otherProvider, service(), 422, 'dangling-reference', '/0/catalogue']
  ]
  for (const [who, item, status, code, pointer] of refusals) {
    const response = await who.post(`${catalogue}/catalogue-items`, [service(), item])
    t.match(
      response,
      { status, body: { code, ...(pointer ? { errors: [{ pointer }] } : {}) } },
      JSON.stringify(item)
    )
  }
  t.equal(await count(), before + 3)
  await provider.post(`${catalogue}/catalogue-items`, [service()], 201)
})

t.test('replaces resources', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, provider, otherProvider, monitor, repair, seller, otherSeller } = w
  const id = pathOf(w.catalogue).split('/').at(-1)
  const whole = {
    seller,
    name: 'Renamed',
    status: { system: 'https://valuesets.example/vs/catalogue-status', code: 'ACTIVE' }
  }
  await provider.put(`${catalogue}/catalogue`, { id, ...whole }, 204)
  t.equal((await clerk.get(pathOf(w.catalogue), 200)).body.name, 'Renamed')
  await clerk.put(pathOf(w.catalogue), (await clerk.get(pathOf(w.catalogue))).body, 204)

  const device = {
    catalogueItemType: 'DeviceModel',
    catalogue: w.catalogue,
    name: 'New name',
    manufacturer: 'M',
    model: 'X',
    version: '2'
  }
  await clerk.put(pathOf(monitor), { ...device, identifiers: [{ system: 'a', value: '1' }] }, 204)
  await clerk.put(pathOf(monitor), (await clerk.get(pathOf(monitor))).body, 204)
  t.match((await clerk.get(pathOf(monitor))).body, {
    name: 'New name',
    version: '2',
    identifiers: [{ system: 'a', value: '1', assigner: null }]
  })
  t.same(namesOf(await clerk.get(query({ q: 'new' }), 200)), ['New name'], 'found by its new name')

  const elsewhere = await clerk.create(`${catalogue}/catalogue`, { seller, name: 'Second' })
  const foreign = await clerk.create(`${catalogue}/catalogue`, { seller: otherSeller, name: 'Foreign' })
  const cases: [who: typeof clerk, url: string, body: object, status: number, code: string][] = [
    [clerk, `${catalogue}/catalogue`, whole, 400, 'invalid-body'],
    [
      clerk,
      pathOf(w.catalogue),
      { id: '018f0000-0000-7000-8000-000000000000', ...whole },
      400,
      'conflicting-ids'
    ],
    [
      clerk,
      `${catalogue}/catalogue`,
      { id: '018f0000-0000-7000-8000-000000000000', ...whole },
      404,
      'not-found'
    ],
    [clerk, `${catalogue}/catalogue`, { id: 'x', ...whole }, 404, 'not-found'],
    [otherProvider, pathOf(w.catalogue), whole, 404, 'not-found'],
    [provider, pathOf(w.catalogue), { ...whole, seller: otherSeller }, 422, 'dangling-reference'],
    [
      clerk,
      pathOf(monitor),
      {
        ...device,
        catalogueItemType: 'Service',
        serviceType: 'REPAIR',
        manufacturer: null,
        model: null,
        version: null
      },
      422,
      'fixed-type'
    ],
    [clerk, pathOf(monitor), { ...device, catalogue: foreign }, 422, 'fixed-seller'],
    [provider, pathOf(monitor), { ...device, catalogue: foreign }, 422, 'dangling-reference'],
    [otherProvider, pathOf(monitor), device, 404, 'not-found']
  ]
  for (const [who, url, body, status, code] of cases)
    t.match(await who.put(url, body), { status, body: { code } }, `${url} ${JSON.stringify(body)}`)

  await clerk.put(pathOf(monitor), { ...device, catalogue: elsewhere }, 204)
  t.match(
    await clerk.put(pathOf(w.catalogue), { ...whole, seller: otherSeller }),
    { status: 422, body: { code: 'fixed-seller' } },
    `a service here relates to ${monitor}`
  )
  t.ok(repair)
})
