import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, upload } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { organization, world } from '../fixtures/world.js'

const unknown = '/catalogue/01890000-0000-7000-8000-000000000000'

t.test('who may do what with workbooks', async (t) => {
  const app = await testApp(t)
  const { clerk, nurse, provider, otherProvider, catalogue } = await world(app)
  const own = `/catalogue/${catalogue.split('/').at(-1)}`
  const bookOf = (seller: string) =>
    workbookOf(
      sheetsWith({ Catalogue: [rowFor.Catalogue({ Seller: seller })], Devices: [rowFor.Devices('N-1')] })
    )
  const [mine, theirs] = [await bookOf('provider'), await bookOf('other-provider')]
  const homeless = app.as('Provider')
  const stranger = app.as(undefined)

  /** Template, export, export of what is not there, POST, PUT, PUT with another seller. */
  const table = [
    ['the clerk', clerk, '200', '200', '404 not-found', '200', '200', '200'],
    ['a nurse', nurse, '200', '200', '404 not-found', '403 forbidden', '403 forbidden', '403 forbidden'],
    ['the provider', provider, '200', '200', '404 not-found', '200', '200', '422 faulty-workbook'],
    [
      'another provider',
      otherProvider,
      '200',
      '404 not-found',
      '404 not-found',
      '422 faulty-workbook',
      '404 not-found',
      '404 not-found'
    ],
    ['a provider of no organization', homeless, ...Array(6).fill('403 forbidden')],
    ['nobody', stranger, ...Array(6).fill('401 unauthorized')]
  ] as const
  const before = await rowsIn(app.sql)
  for (const [who, caller, ...wanted] of table) {
    const answers = [
      await caller.get(`${excel}/template`),
      await caller.get(`${excel}${own}`),
      await caller.get(`${excel}${unknown}`),
      await upload(caller, 'POST', '/catalogue?dryRun=true', mine),
      await upload(caller, 'PUT', `${own}?dryRun=true`, mine),
      await upload(caller, 'PUT', `${own}?dryRun=true`, theirs)
    ]
    t.same(answers.map(outcome), wanted, who)
  }
  t.same(await rowsIn(app.sql), before, 'nothing is written')
  t.equal(outcome(await upload(clerk, 'PUT', unknown, mine)), '404 not-found')
  t.equal(outcome(await upload(clerk, 'PUT', '/catalogue/x', mine)), '404 not-found')

  t.test('another region’s clerk sees the catalogue, and no annotation of others', async (t) => {
    const annotated = await workbookOf(
      sheetsWith({ Devices: [rowFor.Devices('N-1')], Annotations: [rowFor.Annotations('N-1')] })
    )
    const sent = await upload(clerk, 'PUT', own, annotated)
    t.match(sent, { status: 200, body: { created: 1, annotations: { created: 1 } } })
    const other = app.as('AdministrativeClerk', organization('other-region'))
    t.match(await upload(other, 'PUT', own, annotated), {
      status: 422,
      body: { total: 1, faults: [{ sheet: 'Annotations', cell: 'C2', code: 'dangling-reference' }] }
    })
    const exported = (await other.get(`${excel}${own}`, 200)).body
    t.match(await upload(other, 'PUT', own, exported), {
      status: 200,
      body: { annotations: { created: 0, unchanged: 0 } }
    })
  })
})
