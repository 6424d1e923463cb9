import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { excel, upload } from '../fixtures/excel/client.js'
import { cellAt, edited, sheetsOf, workbookOf } from '../fixtures/excel/edit.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, organization, pathOf, world } from '../fixtures/world.js'

const catalogueSheet = [
  ['Name', 'Seller', 'Status', 'Identifier system 1', 'Identifier 1'],
  ['Home devices', 'provider', 'ACTIVE', 'urn:cat', 'C-1']
]
const deviceHeaders = [
  'Identifier system 1',
  'Identifier 1',
  'Identifier system 2',
  'Identifier 2',
  'Name',
  'Manufacturer',
  'Model',
  'Version',
  'Description',
  'Status'
]
const serviceHeaders = [
  'Identifier system 1',
  'Identifier 1',
  'Name',
  'Service type',
  'For device: identifier system',
  'For device: identifier',
  'Status'
]

const whole = {
  Catalogue: catalogueSheet,
  Devices: [
    deviceHeaders,
    ['urn:no', '00123', 'urn:gtin', '0570000000017', 'Monitor', 'A&D', 'UA-767', '1.10', 'Arm\ncuff', ''],
    ['urn:no', '124', '', '', 'Scale', 'Seca', '803', '', '', 'UNAVAILABLE'],
    ['', '', '', '', 'Nameless', 'Nobody', 'N', '', '', '']
  ],
  Services: [
    serviceHeaders,
    ['urn:no', 'S-1', 'Swap', 'REPLACE', 'urn:no', '00123', ''],
    ['urn:no', 'S-2', 'Teach', 'TRAINING', '', '124', ''],
    ['urn:no', 'S-3', 'Help', 'SUPPORT', '', '', '']
  ]
}

t.test('a catalogue as a workbook', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { provider, clerk, nurse } = w
  const first = await upload(provider, 'POST', '/catalogue', await workbookOf(whole))
  t.equal(first.status, 201, JSON.stringify(first.body))
  const url: string = first.headers.location ?? ''
  const path = `/catalogue/${url.split('/').at(-1)}`
  t.match(first.body, {
    dryRun: false,
    catalogue: url,
    catalogueChange: 'created',
    created: 6,
    changed: 0,
    unchanged: 0
  })
  const items = async () =>
    (await clerk.get(`${catalogue}/catalogue-items?catalogue=${encodeURIComponent(url)}`, 200)).body
  const exported = async (caller = provider): Promise<Buffer> =>
    (await caller.get(`${excel}${path}`, 200)).body

  t.test('is what its rows say', async (t) => {
    t.match((await clerk.get(pathOf(url), 200)).body, {
      name: 'Home devices',
      status: { code: 'ACTIVE' },
      seller: w.seller,
      identifiers: [{ system: 'urn:cat', value: 'C-1', assigner: null }]
    })
    const byName = new Map((await items()).map((item: { name: string }) => [item.name, item]))
    t.match(byName.get('Monitor'), {
      identifiers: [
        { system: 'urn:no', value: '00123' },
        { system: 'urn:gtin', value: '0570000000017' }
      ],
      manufacturer: 'A&D',
      model: 'UA-767',
      version: '1.10',
      description: 'Arm\ncuff',
      status: 'AVAILABLE'
    })
    t.match(byName.get('Scale'), { status: 'UNAVAILABLE', version: null, description: null })
    const ids = new Map(
      (await items()).map(({ name, id }: { name: string; id: string }) => [
        name,
        `${catalogue}/catalogue-item/${id}`
      ])
    )
    for (const [service, device] of [
      ['Swap', 'Monitor'],
      ['Teach', 'Scale']
    ])
      t.ok(
        String((byName.get(service) as { relatedTo: string }).relatedTo).endsWith(String(ids.get(device))),
        String(service)
      )
    t.equal((byName.get('Help') as { relatedTo: null }).relatedTo, null)
  })

  t.test('names the devices of services by their identifiers', async (t) => {
    const [, ...services] = (await sheetsOf(await exported())).Services ?? []
    const devices = services.map((cells) => cells.filter((text) => /^(00123|124)$/.test(text)))
    t.same(devices, [['00123'], ['124'], []])
  })

  t.test('uploaded unchanged, changes nothing', async (t) => {
    for (const caller of [provider, clerk])
      for (const language of ['en', 'da']) {
        const file = (await caller.get(`${excel}${path}?language=${language}`, 200)).body
        const before = await items()
        const response = await upload(caller, 'PUT', path, file)
        t.match(response, {
          status: 200,
          body: { catalogueChange: 'unchanged', created: 0, changed: 0, unchanged: 6 }
        })
        t.same(await items(), before)
      }
  })

  t.test('changes what was changed, and nothing else', async (t) => {
    const file = await edited(await exported(), (book) => {
      cellAt(book, 'Devices', 1, 'Version').value = '1.11'
      cellAt(book, 'Devices', 2, 'Identifier system 2').value = 'urn:gtin'
      cellAt(book, 'Devices', 2, 'Identifier 2').value = '0570000000024'
      cellAt(book, 'Services', 3, 'For device: identifier').value = '124'
      cellAt(book, 'Catalogue', 1, 'Name').value = 'Home monitoring'
      book.getWorksheet('Devices')?.addRow([null, 'urn:no', '125', null, null, null, null, 'Phone'])
      const added = book.getWorksheet('Devices')?.rowCount ?? 0
      cellAt(book, 'Devices', added - 1, 'Name').value = 'Phone'
      cellAt(book, 'Devices', added - 1, 'Manufacturer').value = 'Nokia'
      cellAt(book, 'Devices', added - 1, 'Model').value = '3310'
    })
    const before = await items()
    const rehearsal = await upload(provider, 'PUT', `${path}?dryRun=true`, file)
    t.match(rehearsal, {
      status: 200,
      body: { dryRun: true, catalogueChange: 'changed', created: 1, changed: 3, unchanged: 3 }
    })
    t.same(await items(), before, 'a rehearsal writes nothing')
    const response = await upload(provider, 'PUT', path, file)
    t.match(response, {
      status: 200,
      body: { dryRun: false, catalogueChange: 'changed', created: 1, changed: 3, unchanged: 3 }
    })
    const after = await items()
    t.equal(after.length, before.length + 1)
    const changed = before.filter(
      (item: { id: string }) =>
        JSON.stringify(item) !== JSON.stringify(after.find(({ id }: { id: string }) => id === item.id))
    )
    t.same(changed.map(({ name }: { name: string }) => name).sort(), ['Help', 'Monitor', 'Scale'])
    t.match(await upload(provider, 'PUT', path, await exported()), {
      body: { created: 0, changed: 0, unchanged: 7 }
    })
  })

  t.test('changes an item when any of its cells changes', async (t) => {
    const file = await exported()
    const books: [sheet: string, row: number, header: string, value: string][][] = [
      [
        ['Devices', 1, 'Name', 'Other'],
        ['Devices', 2, 'Manufacturer', 'Other'],
        ['Services', 1, 'Name', 'Other'],
        ['Services', 2, 'Service type', 'SUPPORT'],
        ['Services', 3, 'Description', 'Other']
      ],
      [
        ['Devices', 1, 'Model', 'Other'],
        ['Devices', 2, 'Version', '2'],
        ['Services', 1, 'For device: identifier', '124'],
        ['Services', 2, 'Status', 'UNAVAILABLE']
      ],
      [
        ['Devices', 1, 'Description', 'Other'],
        ['Devices', 2, 'Status', 'DISCONTINUED']
      ],
      [
        ['Devices', 1, 'Identifier 2', '0570000000048'],
        ['Devices', 2, 'Identifier system 2', 'urn:other']
      ]
    ]
    for (const cells of books) {
      const other = await edited(file, (book) => {
        for (const [sheet, row, header, value] of cells) cellAt(book, sheet, row, header).value = value
      })
      const { status, body } = await upload(provider, 'PUT', `${path}?dryRun=true`, other)
      const changed = cells.length
      t.match({ status, ...body }, { status: 200, changed, unchanged: 7 - changed }, JSON.stringify(cells))
    }
  })

  t.test('takes a row without identifiers for a new item when any of its cells changes', async (t) => {
    const file = await exported()
    const [titles = [], ...rows] = (await sheetsOf(file)).Devices ?? []
    const nameless = rows.findIndex((cells) => cells.includes('Nameless'))
    const headers = ['Name', 'Manufacturer', 'Model', 'Version', 'Description', 'Status']
    const other = await edited(file, (book) => {
      const sheet = book.getWorksheet('Devices')
      for (const header of headers) {
        const cells = [...(rows[nameless] ?? [])]
        cells[titles.findIndex((title) => title.replace(' *', '') === header)] =
          header === 'Status' ? 'DISCONTINUED' : 'Other'
        sheet?.addRow(cells)
      }
      sheet?.spliceRows(nameless + 2, 1)
    })
    const { status, body } = await upload(provider, 'PUT', path, other)
    t.match({ status, total: body.total }, { status: 422, total: headers.length })
    for (const { code } of body.faults) t.equal(code, 'identifier-required')
  })

  t.test('leaves alone what a sheet has no column for', async (t) => {
    const before = await items()
    const narrow = await workbookOf({
      Catalogue: [
        ['Name', 'Seller'],
        ['Home monitoring', 'provider']
      ],
      Devices: [
        ['Identifier system 1', 'Identifier 1', 'Name', 'Manufacturer', 'Model'],
        ['urn:no', '00123', 'Monitor', 'A&D', 'UA-767'],
        ['urn:no', '124', 'Scale', 'Seca', '804']
      ],
      Services: [
        ['Identifier system 1', 'Identifier 1', 'Name', 'Service type'],
        ['urn:no', 'S-1', 'Swap', 'REPLACE']
      ]
    })
    const response = await upload(provider, 'PUT', path, narrow)
    t.match(response, {
      status: 200,
      body: { catalogueChange: 'unchanged', created: 0, changed: 1, unchanged: 2 }
    })
    const wanted = before.map((item: { name: string }) =>
      item.name === 'Scale' ? { ...item, model: '804' } : item
    )
    t.same(await items(), wanted)
  })

  t.test('loses no identifier of an item that a sheet names by one of them', async (t) => {
    const before = await items()
    const named = (system: string, value: string, model: string) =>
      workbookOf({
        Catalogue: [
          ['Name', 'Seller'],
          ['Home monitoring', 'provider']
        ],
        Devices: [
          ['Identifier system 1', 'Identifier 1', 'Name', 'Manufacturer', 'Model'],
          [system, value, 'Monitor', 'A&D', model]
        ]
      })
    const same = await upload(provider, 'PUT', path, await named('urn:gtin', '0570000000017', 'UA-767'))
    t.match(same, { status: 200, body: { changed: 0, unchanged: 1 } })
    const changed = await upload(provider, 'PUT', path, await named('urn:gtin', '0570000000017', 'UA-768'))
    t.match(changed, { status: 200, body: { changed: 1 } })
    await upload(provider, 'PUT', path, await named('urn:no', '00123', 'UA-767'))
    t.same(await items(), before)
  })

  t.test('relates services to the identifiers that devices have after the upload', async (t) => {
    const before = await items()
    const renumbered = async (device: string) =>
      edited(await exported(), (book) => {
        cellAt(book, 'Devices', 1, 'Identifier 2').value = '0570000000031'
        cellAt(book, 'Services', 1, 'For device: identifier system').value = 'urn:gtin'
        cellAt(book, 'Services', 1, 'For device: identifier').value = device
      })
    const earlier = await upload(provider, 'PUT', path, await renumbered('0570000000017'))
    t.match(earlier, {
      status: 422,
      body: { faults: [{ sheet: 'Services', code: 'dangling-reference', found: '0570000000017' }] }
    })
    t.same(await items(), before)
    const current = await upload(provider, 'PUT', `${path}?dryRun=true`, await renumbered('0570000000031'))
    t.match(current, { status: 200, body: { changed: 1, unchanged: 6 } })
  })

  t.test('of others is out of reach', async (t) => {
    const file = await exported()
    t.equal(outcome(await upload(w.otherProvider, 'PUT', path, file)), '404 not-found')
    t.equal(outcome(await w.otherProvider.get(`${excel}${path}`)), '404 not-found')
    t.equal(outcome(await upload(nurse, 'PUT', path, file)), '403 forbidden')
    t.equal((await nurse.get(`${excel}${path}`)).status, 200)
    t.match(await upload(w.otherProvider, 'POST', '/catalogue', file), {
      status: 422,
      body: {
        total: 1,
        faults: [{ sheet: 'Catalogue', column: 'Seller *', code: 'dangling-reference', found: 'provider' }]
      }
    })
  })

  t.test('carries the annotations of a clerk’s own buyers', async (t) => {
    const annotated = await edited(await exported(clerk), (book) => {
      const sheet = book.getWorksheet('Annotations')
      for (const [name, value] of [
        ['ehealth/device-type', '19892000'],
        ['free', 'http://snomed.info/sct|258057004']
      ])
        sheet?.addRow(['', 'urn:no', '124', 'region', name, value])
    })
    t.match(await upload(clerk, 'PUT', path, annotated), {
      status: 200,
      body: { created: 0, changed: 0, annotations: { created: 2, unchanged: 0 } }
    })
    t.match(await upload(clerk, 'PUT', path, annotated), {
      status: 200,
      body: { annotations: { created: 0, unchanged: 2 } }
    })
    t.match(await upload(clerk, 'PUT', path, await exported(clerk)), {
      status: 200,
      body: { annotations: { created: 0, unchanged: 2 } }
    })
    t.notOk('Annotations' in (await sheetsOf(await exported())))
    const other = app.as('AdministrativeClerk', organization('other-region'))
    t.same((await sheetsOf(await exported(other))).Annotations?.length, 1)
    t.match(await upload(provider, 'PUT', path, annotated), {
      status: 422,
      body: { faults: [{ sheet: 'Annotations', code: 'sheet-not-allowed' }] }
    })
  })
})
