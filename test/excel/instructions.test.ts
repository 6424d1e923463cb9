import t from 'tap'
import { sheetTables } from '../../src/excel/sheets/columns/sheet-tables.js'
import { testApp } from '../fixtures/app.js'
import { excel } from '../fixtures/excel/client.js'
import { sheetsOf } from '../fixtures/excel/edit.js'
import { world } from '../fixtures/world.js'

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
