import ExcelJS from 'exceljs'
import t from 'tap'
import type { UserType } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import { headers, rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, upload } from '../fixtures/excel/client.js'
import { edited, sheetsOf, workbookOf } from '../fixtures/excel/edit.js'
import { sample } from '../fixtures/excel/reading.js'
import { catalogue, organization, world } from '../fixtures/world.js'

const { Devices: device } = rowFor

t.test('what is accepted of workbooks', async (t) => {
  const app = await testApp(t)
  const { clerk } = await world(app)
  const importOf = async (file: Buffer, caller = clerk) => {
    const { status, headers, body } = await upload(caller, 'POST', '/catalogue', file)
    t.equal(status, 201, JSON.stringify(body))
    const of = `catalogue=${encodeURIComponent(headers.location ?? '')}`
    const items = (await clerk.get(`${catalogue}/catalogue-items?${of}`, 200)).body
    return {
      body,
      items: new Map(items.map((item: { name: string }) => [item.name, item])) as Map<string, Item>
    }
  }

  t.test('headers in either language, in any case and order, wherever they stand', async (t) => {
    const book = new ExcelJS.Workbook()
    const devices = book.addWorksheet('UDSTYR')
    devices.addRows([
      ['Devices of the region'],
      [],
      ['Prices in kroner', null, null],
      [
        ' bemærkning',
        'Price',
        'MODEL *',
        'Fabrikant*',
        'navn',
        'Identifier 1',
        'identifikatorsystem  1',
        'Internal',
        'STATUS',
        null,
        'Version'
      ]
    ])
    devices.mergeCells('A1:K1')
    devices.mergeCells('A3:C3')
    devices.addRows([
      ['Example', 5, 'Not', 'meant', 'Example', 'X', 'urn:no', true, 'SOLD'],
      [],
      ['mine', 12.5, 'UA-767', 'A&D', 'Monitor', '00123', 'urn:no', new Date(), 'unavailable', null, 2],
      [null, null, '  ', null, null],
      ['eksempel', 5],
      [
        null,
        { formula: '1/0', result: { error: '#DIV/0!' } },
        '803',
        'Seca',
        'Scale',
        null,
        null,
        null,
        ' discontinued ',
        '  ',
        '1.10'
      ]
    ])
    book.addWorksheet('services').addRows([
      ['Ydelsestype', 'Name *', 'Til udstyr: Identifikator'],
      ['Re-Training', 'Teach', '00123'],
      ['repair', 'Mend', null]
    ])
    book.addWorksheet('Anything').addRows([['else', true]])
    book.addWorksheet(' katalog ').addRows([
      ['Leverandør', 'Name'],
      ['provider', 'List']
    ])
    const { body, items } = await importOf(Buffer.from(await book.xlsx.writeBuffer()))
    t.match(body, { created: 4, changed: 0, unchanged: 0 })
    t.match(items.get('Monitor'), {
      identifiers: [{ system: 'urn:no', value: '00123', assigner: null }],
      ...{ manufacturer: 'A&D', model: 'UA-767', version: '2', status: 'UNAVAILABLE' }
    })
    t.match(items.get('Scale'), { identifiers: [], version: '1.10', status: 'DISCONTINUED' })
    t.match(items.get('Teach'), { serviceType: { code: 'RE-TRAINING' } })
    t.equal(items.get('Teach')?.relatedTo?.split('/').at(-1), items.get('Monitor')?.id)
    t.match(items.get('Mend'), { serviceType: { code: 'REPAIR' }, relatedTo: null })
  })

  t.test('cells of other kinds, where it is clear which text is meant', async (t) => {
    const book = new ExcelJS.Workbook()
    for (const [name, rows] of Object.entries(sheetsWith({})))
      book.addWorksheet(name).addRows(rows as unknown[][])
    const cellsOf: readonly [cells: Partial<ExcelJS.Cell>, wanted: string][] = [
      [{ value: 123 }, '123'],
      [{ value: 123, numFmt: '00000' }, '00123'],
      [{ value: -1.5 }, '-1.5'],
      [{ value: 570000000001234 }, '570000000001234'],
      [{ value: '00123' }, '00123'],
      [{ value: '=1+1' }, '=1+1'],
      [
        { value: { richText: [{ text: 'bold' }, { font: { bold: true }, text: ' and plain' }] } },
        'bold and plain'
      ],
      [{ value: { text: 'Manual', hyperlink: 'https://example.com' } }, 'Manual'],
      [{ value: { formula: '"a"&"b"', result: 'ab' } }, 'ab'],
      [{ value: { formula: '1+1', result: 2 }, numFmt: '000' }, '002'],
      [{ value: ' around\r\nlines\n' }, 'around\nlines'],
      [{ value: '💓'.repeat(4000) }, '💓'.repeat(4000)]
    ]
    const sheet = book.getWorksheet('Devices')
    for (const [at, [cell]] of cellsOf.entries()) {
      const row = sheet?.addRow(
        headers.Devices.map((header) => device(`N-${at}`, { Name: `Device ${at}` })[header] ?? null)
      )
      Object.assign(row?.getCell(headers.Devices.indexOf('Version') + 1) ?? {}, cell)
    }
    const { items } = await importOf(Buffer.from(await book.xlsx.writeBuffer()))
    for (const [at, [, wanted]] of cellsOf.entries())
      t.equal(items.get(`Device ${at}`)?.version, wanted, `row ${at}`)
  })

  t.test('a text is counted as in JSON: 4,000 characters, whatever they take', async (t) => {
    const long = await workbookOf(sheetsWith({ Devices: [device('N', { Version: '💓'.repeat(4001) })] }))
    t.match(await upload(clerk, 'POST', '/catalogue', long), {
      status: 422,
      body: { total: 1, faults: [{ code: 'text-too-long' }] }
    })
  })

  t.test('characters that no text can have are left out', async (t) => {
    const file = await workbookOf(
      sheetsWith({ Devices: [device('N', { Name: 'x', Version: '_x0000_1_xD83D_2_x0007_' })] })
    )
    t.equal((await importOf(file)).items.get('x')?.version, '12')
  })

  t.test('a workbook with macros', async (t) => {
    const { body } = await upload(clerk, 'POST', '/catalogue', sample('macros.xlsm'))
    t.match(
      body,
      {
        code: 'faulty-workbook',
        faults: [{ code: 'missing-sheet' }, { sheet: 'Devices', code: 'no-headers' }]
      },
      'it is read'
    )
  })

  const people: [UserType, string][] = [
    ['AdministrativeClerk', 'region'],
    ['Provider', 'provider'],
    ['MonitoringResponsible', 'region']
  ]
  for (const [userType, of] of people)
    for (const language of ['en', 'da'] as const)
      t.test(`the template of a ${userType}, in ${language}`, async (t) => {
        const caller = app.as(userType, organization(of))
        const template: Buffer = (await caller.get(`${excel}/template?language=${language}`, 200)).body
        const contents = await sheetsOf(template)
        const sheets = Object.keys(contents)
        t.equal(sheets.length, userType === 'AdministrativeClerk' ? 7 : 5)
        const [titles, ...values] = contents[sheets.at(-1) ?? '']?.map((row) => row.slice(-3)) ?? []
        if (userType === 'AdministrativeClerk') {
          t.equal(titles?.at(-1), language === 'en' ? 'system|code' : 'system|kode')
          t.match(values, [['ehealth/device-type', /^\S.*/, /^http:\/\/snomed\.info\/sct\|\d+$/]])
        }
        if (userType === 'MonitoringResponsible') {
          t.equal((await upload(caller, 'POST', '/catalogue', template)).status, 403)
          return
        }
        const examples = await edited(template, (book) => {
          for (const sheet of book.worksheets)
            sheet.getColumn(1).eachCell((cell) => {
              if (/^(EXAMPLE|EKSEMPEL)$/.test(cell.text)) cell.value = null
            })
        })
        const filledIn = await upload(caller, 'POST', '/catalogue?dryRun=true', examples)
        t.same(
          filledIn.body.faults.map((fault: { found: string | null }) => fault.found),
          [
            'Medico Aps',
            ...(userType === 'AdministrativeClerk' ? ['Region', 'urn:example:system|code', 'Region'] : [])
          ],
          'the examples are valid, except for these placeholders'
        )
        const untouched = await upload(caller, 'POST', '/catalogue', template)
        t.match(untouched, {
          status: 422,
          body: { total: 1, faults: [{ sheet: sheets[1], code: 'no-catalogue' }] }
        })
        const filled = await edited(template, (book) => {
          fill(
            book.worksheets[1],
            language === 'en'
              ? { Name: 'List', Seller: 'provider' }
              : { Navn: 'List', Leverandør: 'provider' }
          )
          fill(
            book.worksheets[2],
            language === 'en'
              ? { Name: 'Monitor', Manufacturer: 'A&D', Model: 'UA' }
              : { Navn: 'Monitor', Fabrikant: 'A&D', Model: 'UA' }
          )
        })
        const { body, items } = await importOf(filled, caller)
        t.match(body, { created: 1, annotations: { created: 0 } })
        t.same([...items.keys()], ['Monitor'])
      })
})

interface Item {
  id: string
  version?: string
  relatedTo?: string
}

/** Adds a row below what is there. */
function fill(sheet: ExcelJS.Worksheet | undefined, cells: Record<string, string>): void {
  const titles = (sheet?.getRow(1).values ?? []) as string[]
  const row = sheet?.addRow([])
  for (const [header, text] of Object.entries(cells)) {
    const column = titles.findIndex((title) => title?.replace(' *', '') === header)
    if (row) row.getCell(column).value = text
  }
}
