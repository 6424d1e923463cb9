import t from 'tap'
import { sheetTables } from '../../src/excel/sheets/columns/sheet-tables.js'
import { testApp } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel } from '../fixtures/excel/client.js'
import { sheetsOf } from '../fixtures/excel/edit.js'
import { importCatalogue } from '../fixtures/excel/imported-catalogue.js'
import { world } from '../fixtures/world.js'

const { Catalogue: catalogueRow, Devices: device, Services: service, Annotations: annotation } = rowFor

t.test('codes are written as display texts, and read in either language', async (t) => {
  const app = await testApp(t)
  const { clerk } = await world(app)
  const sheetsIn = async (path: string, language: string) =>
    sheetsOf((await clerk.get(`${excel}${path}?language=${language}`, 200)).body)

  t.test('in the drop-down lists and the example rows', async (t) => {
    const danish = await sheetsIn('/template', 'da')
    const column = (at: number) => (danish.Koder ?? []).slice(1).flatMap((row) => row[at] || [])
    t.same(column(0), ['Kladde', 'Aktivt', 'Inaktivt'])
    t.same(column(1), ['Kan bestilles', 'Kan ikke bestilles', 'Udgået'])
    t.ok(danish.Koder?.flat().includes('Iltmåler'), 'values of annotations')
    t.match(danish.Koder?.[1]?.slice(-3), [
      'ehealth/device-type',
      /^\S.*/,
      /^http:\/\/snomed\.info\/sct\|\d+$/
    ])
    const examples = ['Katalog', 'Udstyr', 'Ydelser'].flatMap((name) => danish[name]?.[1] ?? [])
    for (const text of ['Kladde', 'Kan bestilles', 'Ombytning', 'Blodtryksmåler'])
      t.ok(examples.includes(text), text)
    const english = await sheetsIn('/template', 'en')
    t.same(english.Codes?.[1]?.slice(0, 2), ['Draft', 'Available'])
    t.ok(english.Services?.[1]?.includes('Replacement'))
  })

  const texts = [
    ['ACTIVE', 'DISCONTINUED', 'REPLACE', 'http://snomed.info/sct|19892000'],
    ['active', 'Discontinued', 'Replacement', 'Scale'],
    ['Aktivt', 'udgået', 'OMBYTNING', 'Vægt']
  ]
  const { path, update } = await importCatalogue(
    clerk,
    sheetsWith({ Devices: [device('D-1')], Services: [service('S-1')] })
  )
  const put = ([status, itemStatus, serviceType, value]: string[], query = '') =>
    update(
      sheetsWith({
        Catalogue: [catalogueRow({ Status: status })],
        Devices: [device('D-1', { Status: itemStatus })],
        Services: [service('S-1', { 'Service type': serviceType })],
        Annotations: [annotation('D-1', { Annotation: 'ehealth/device-type', Value: value })]
      }),
      { query }
    )

  t.test('on import, all alike', async (t) => {
    t.match((await put(texts[0] ?? [])).body, { changed: 2, annotations: { created: 1 } })
    for (const each of texts) t.match((await put(each)).body.changes, { total: 0 }, each.join())
    t.match((await put(['Aktivt', 'findes ikke', 'Ombytning', 'Vægt'], '?language=da')).body.faults, [
      { detail: 'Det skal være en af: Kan bestilles, Kan ikke bestilles, Udgået.' }
    ])
    const { changes } = (await put(['Kladde', 'Udgået', 'Reparation', 'Vægt'], '?language=da&dryRun=true'))
      .body
    t.match(changes.rows, [
      { columns: [{ column: 'Status', old: 'Aktivt', new: 'Kladde' }] },
      { columns: [{ column: 'Service type', old: 'Ombytning', new: 'Reparation' }] }
    ])
  })

  t.test('in exports', async (t) => {
    for (const [language, ...wanted] of [
      ['da', 'Aktivt', 'Udgået', 'Ombytning', 'Vægt'],
      ['en', 'Active', 'Discontinued', 'Replacement', 'Scale']
    ] as const) {
      const all = Object.values(await sheetsIn(path, language as string)).slice(1, 5)
      const found = all.flatMap((rows) => rows[1])
      for (const text of wanted) t.ok(found.includes(text), text)
    }
  })
})

t.test('templates and exports begin with instructions', async (t) => {
  const app = await testApp(t)
  const { clerk, provider, catalogue } = await world(app)
  const path = `/catalogue/${catalogue.split('/').at(-1)}`
  const tables = sheetTables(2)
  for (const [language, name, first] of [
    ['en', 'Instructions', 'How to fill in this workbook'],
    ['da', 'Vejledning', 'Sådan udfyldes filen']
  ] as const)
    for (const of of ['/template', path]) {
      const sheets = await sheetsOf((await clerk.get(`${excel}${of}?language=${language}`, 200)).body)
      t.equal(Object.keys(sheets)[0], name)
      const rows = sheets[name] ?? []
      t.equal(rows[0]?.[0], first)
      for (const { name, columns } of Object.values(tables))
        for (const { header, comment } of columns)
          t.ok(
            rows.some(
              (row) =>
                row[0] === name[language] && row[1] === header[language] && row[3] === comment?.[language]
            ),
            `${of} ${name[language]} ${header[language]}`
          )
    }
  const own = await sheetsOf((await provider.get(`${excel}/template`, 200)).body)
  t.notOk(
    own.Instructions?.some((row) => row[0] === 'Annotations'),
    'only of the sheets that there are'
  )
})
