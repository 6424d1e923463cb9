import ExcelJS from 'exceljs'
import t from 'tap'
import { unsignedToken } from '../../../src/platform/auth/tokens/unsigned-token.js'
import { eventually, skipBrowser } from '../../fixtures/browser.js'
import { faultyWorkbook, MARKUP_TEXT, validWorkbook } from '../../fixtures/excel/catalogue-rows.js'
import { cellAt, edited, sheetsOf, workbookOf } from '../../fixtures/excel/edit.js'
import { importCatalogue } from '../../fixtures/excel/imported-catalogue.js'
import { providerToken, type UploadPage, uploadSite } from '../../fixtures/excel/upload-page.js'
import { catalogue, organization } from '../../fixtures/world.js'

/*
 * The upload page in a real browser and with the real server, from an empty workbook to a catalogue.
 */

/** A workbook of a catalogue in which one device has another name. */
const renamed = async (catalogue: string) =>
  edited(await validWorkbook(catalogue), (book) => {
    cellAt(book, 'Devices', 1, 'Name').value = 'Better monitor'
  })

const clerkToken = (name: string) =>
  unsignedToken({ userType: 'AdministrativeClerk', organization: organization(name) })

/** The name of the first sheet of the marked workbook, which lists the faults. */
async function faultSheet({ page, download }: UploadPage) {
  const { bytes } = await download(page.locator('#check-result').getByRole('button'))
  return Object.keys(await sheetsOf(bytes))[0]
}

t.test('a workbook becomes a catalogue', { skip: skipBrowser }, async (t) => {
  const site = await uploadSite(t)
  const { provider } = site.w
  const names = async (): Promise<string[]> =>
    (await provider.get(`${catalogue}/catalogues`)).body.map(({ name }: { name: string }) => name).sort()

  await t.test('after its faults are shown, marked and corrected', async (t) => {
    const person = await site.open(t, { token: null })
    const { page } = person
    await eventually(t, () => page.title(), 'Catalogue from Excel')
    await eventually(t, () => person.state('check'), 'First get access, see above.')
    await person.give(providerToken)
    await eventually(t, () => person.state('check'), 'Choose a workbook first.')
    const template = await person.download(page.getByRole('button', { name: 'Download an empty workbook' }))
    t.equal(template.name, 'catalogue.xlsx')
    t.same(Object.keys(await sheetsOf(template.bytes)), [
      ...['Instructions', 'Catalogue', 'Devices', 'Services', 'Codes']
    ])

    await person.choose(await faultyWorkbook())
    await eventually(
      t,
      () => page.locator('#file-state').innerText(),
      /^Chosen: “catalogue\.xlsx” \(\d+ kB\)\.$/
    )
    await eventually(t, () => person.isOpen('import'), false)
    const result = await person.take('check')
    await eventually(
      t,
      () => page.evaluate('document.activeElement.textContent'),
      '✗ Faults: 5',
      'the focus is there'
    )
    const rows = await person.rows()
    t.equal(rows.length, 5)
    const shown = Object.fromEntries(rows.map((row) => [`${row[0]} ${row[1]}`, row]))
    t.match(shown, {
      'Catalogue B2': ['Catalogue', 'B2', 'Seller', 'nobody', /.+/],
      'Catalogue C2': ['Catalogue', 'C2', 'Status', MARKUP_TEXT, /^It must be one of: /],
      'Devices D2': ['Devices', 'D2', 'Manufacturer', /1970/, /date/],
      'Devices C2': ['Devices', 'C2', 'Name', '(nothing)', /.+/],
      'Devices F2': ['Devices', 'F2', 'Status', 'MAYBE', /^It must be one of: /]
    })
    await eventually(
      t,
      () => person.state('import'),
      'The workbook has faults. Correct it, choose it again and check it.'
    )
    await page.locator('#import').click({ force: true })
    t.same(await names(), ['Devices'], 'nothing can be imported')
    t.match(await result.innerText(), /Correct your own workbook/)
    const marked = await person.download(result.getByRole('button'))
    t.equal(marked.name, 'catalogue - faults.xlsx')
    const book = new ExcelJS.Workbook()
    await book.xlsx.load(marked.bytes as unknown as ArrayBuffer)
    t.ok(book.getWorksheet('Devices')?.getCell('F2').note, 'the cell is marked')

    await person.choose(await validWorkbook())
    await eventually(t, () => result.innerText(), '', 'what was found in another file is gone')
    await eventually(t, () => person.isOpen('import'), false)
    t.match(
      await (await person.take('check')).innerText(),
      /✓ No faults[\s\S]*If you import the workbook:\s+Catalogue: new\s+Items added: 2\s+Items changed: 0\s+Items unchanged: 0/
    )
    t.same(await names(), ['Devices'], 'a check writes nothing')
    await eventually(t, () => person.state('import'), 'The workbook has no faults and can be imported.')
    const report = await person.take('import')
    t.match(await report.innerText(), /✓ Imported\s+Result:\s+Catalogue: new\s+Items added: 2/)
    await eventually(t, () => page.evaluate('document.activeElement.textContent'), '✓ Imported')
    t.same(await names(), ['Devices', 'Home devices'])

    const now = page.getByRole('button', { name: 'Download this catalogue as it is now' })
    const { name, bytes } = await person.download(now)
    t.equal(name, 'Home devices.xlsx')
    const exported = await sheetsOf(bytes)
    t.match(exported.Devices?.flat(), /00123/)
    await eventually(t, () => person.isOpen('import'), false, 'it is imported once')
    await page.locator('#import').click({ force: true })
    t.same(await names(), ['Devices', 'Home devices'])
  })

  await t.test('or changes a catalogue', async (t) => {
    await importCatalogue(provider, await validWorkbook('Clinic'))
    const person = await site.open(t, { locale: 'da-DK' })
    const { page } = person
    const clinic = { label: 'Clinic – Clinic – aktivt' }
    await page.locator('#target').selectOption(clinic)
    const { name, bytes } = await person.download(
      page.getByRole('button', { name: 'Hent kataloget, som det er nu' })
    )
    t.equal(name, 'Clinic.xlsx')
    await person.choose(
      await edited(bytes, (book) => {
        cellAt(book, 'Udstyr', 1, 'Navn').value = 'Better monitor'
      })
    )
    t.match(await (await person.take('check')).innerText(), /Varer ændret: 1\s+Varer uændret: 1/)
    await page.locator('#target').selectOption('')
    await eventually(t, () => person.isOpen('import'), false, 'it was not checked for this')
    await page.locator('#target').selectOption(clinic)
    await page.locator('#chosen').waitFor()
    await eventually(
      t,
      () => person.state('import'),
      'Kontrollér først filen. Den kan indlæses, når den er uden fejl.'
    )
    t.notOk(await person.isOpen('import'))
    await person.take('check')
    t.match(await (await person.take('import')).innerText(), /✓ Indlæst[\s\S]*Varer ændret: 1/)
    t.match((await provider.get(`${catalogue}/catalogue-items?q=better`)).body, [{ name: 'Better monitor' }])
  })

  await t.test('in Danish and in English, in each state of the page', async (t) => {
    const person = await site.open(t, { locale: 'da-DK' })
    const { page } = person
    const lang = () => page.locator('html').getAttribute('lang')
    await eventually(t, () => lang(), 'da')
    await person.choose(await faultyWorkbook())
    await person.take('check')
    const [first] = (await person.rows()).filter((row) => row[1] === 'F2')
    t.match(first?.[4], /^Det skal være en af: /)
    t.ok(
      (await person.rows()).every((row) => !/must be|Fill it in|cell holds/.test(row[4] ?? '')),
      'no detail is in English'
    )
    t.equal(await faultSheet(person), 'Fundne fejl')
    await page.getByRole('link', { name: 'English' }).click()
    t.equal(await faultSheet(person), 'Faults found')
    await eventually(t, () => lang(), 'en')
    await eventually(t, () => page.locator('#check-result h3').innerText(), '✗ Faults: 5')
    await eventually(t, async () => (await person.rows())[0]?.[4], /^\p{Lu}[^æøå]*$/u)
    await eventually(t, () => page.locator('body').innerText(), /^[^æøå]*$/i, 'nothing Danish is left')
    await page.getByRole('link', { name: 'Dansk' }).click()
    await eventually(t, () => page.locator('#check-result h3').innerText(), '✗ Fejl: 5')
    t.match(page.url(), /\?language=da$/)
    await person.choose(await validWorkbook('Katalog'))
    await person.take('check')
  })

  await t.test('with the keyboard alone', async (t) => {
    await importCatalogue(provider, await validWorkbook('Keyboard'))
    const { page } = await site.open(t, { token: null })
    const focused = () => page.evaluate('document.activeElement.id')
    const tabTo = async (id: string) => {
      for (let at = 0; at < 15 && (await focused()) !== id; at++) await page.keyboard.press('Tab')
      await eventually(t, () => focused(), id)
    }
    await tabTo('token')
    await page.keyboard.type(providerToken)
    await page.keyboard.press('Enter')
    await tabTo('target')
    await page.locator('#target option', { hasText: 'Keyboard' }).waitFor({ state: 'attached' })
    await page.keyboard.type('Keyb')
    await eventually(t, () => page.locator('#target option:checked').innerText(), /^Keyboard/)
    await tabTo('drop')
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
    await chooser.setFiles({ name: 'a.xlsx', mimeType: '', buffer: await renamed('Keyboard') })
    await page.getByText('Ready to be checked.').waitFor()
    await tabTo('check')
    await page.keyboard.press('Space')
    await page.getByText('✓ No faults').waitFor()
    await tabTo('import')
    await page.keyboard.press('Enter')
    await page.getByText('✓ Imported').waitFor()
    await eventually(t, () => page.locator('#import-result').innerText(), /Items added: 0\s+Items changed: 1/)
  })

  await t.test('or changes an existing catalogue that the page proposes', async (t) => {
    await importCatalogue(provider, await validWorkbook('First'))
    const person = await site.open(t)
    const { page } = person
    await person.choose(
      await edited(await validWorkbook('First'), (book) => {
        cellAt(book, 'Devices', 1, 'Name').value = MARKUP_TEXT
        cellAt(book, 'Devices', 2, 'Status').value = 'AVAILABLE'
        Object.assign(book.getWorksheet('Devices')?.getCell('H1') ?? {}, { value: 'Price' })
        Object.assign(book.getWorksheet('Devices')?.getRow(3) ?? {}, { hidden: true })
      })
    )
    const check = await person.take('check')
    t.match(await check.innerText(), /That did not work[\s\S]*already has this catalogue/)
    await eventually(t, () => person.isOpen('import'), false)
    await page.getByRole('button', { name: 'Update “First” instead' }).click()
    await eventually(t, () => page.locator('#target option:checked').innerText(), /^First – /)
    await eventually(
      t,
      () => page.evaluate('document.activeElement.id'),
      'check',
      'the focus is on the next step'
    )
    await person.take('check')
    t.match(
      await check.innerText(),
      /Items changed: 2[\s\S]*Hidden rows, which are read like the others: 1[\s\S]*Rows that are new or different: 2/
    )
    t.same(await person.rows('.changes'), [
      ['Devices 2', `00123 – ${MARKUP_TEXT}`, 'Name', 'Monitor', MARKUP_TEXT],
      ['Devices 3', '00124 – Scale', 'Status', 'Unavailable', 'Available']
    ])
    t.match(await check.locator('.ignored').innerText(), /Devices H1: Price/)
    await person.take('import')
    await page.getByText('The catalogue “First” now').waitFor()
    await eventually(
      t,
      () => page.locator('#chosen').innerText(),
      /The catalogue “First” now[\s\S]*It is active\./
    )
    await eventually(t, async () => (await person.rows('.items')).toSorted(), [
      ['00123', MARKUP_TEXT, 'Device', 'can be ordered'],
      ['00124', 'Scale', 'Device', 'can be ordered']
    ])
  })

  await t.test('or gets the name of another catalogue, after a confirmation', async (t) => {
    await importCatalogue(provider, await validWorkbook('Named'))
    await importCatalogue(provider, await validWorkbook('Second'))
    const before = await names()
    const person = await site.open(t, { locale: 'da-DK' })
    const { page } = person
    await page.locator('#target').selectOption({ label: 'Second – Second – aktivt' })
    await person.choose(
      await workbookOf({
        Katalog: [
          ['Navn', 'Leverandør', 'Status'],
          ['Named', 'provider', 'ACTIVE']
        ],
        Udstyr: [['Navn', 'Fabrikant', 'Model']]
      })
    )
    const check = await person.take('check')
    t.match(await check.innerText(), /Et andet af leverandørens kataloger har dette navn/)
    await page.getByRole('button', { name: 'Opdatér det valgte katalog alligevel' }).click()
    await check.getByText('✓ Ingen fejl').waitFor()
    t.same(await names(), before)
    await person.take('import')
    t.same(await names(), before.map((name) => (name === 'Second' ? 'Named' : name)).sort())
  })

  await t.test('except if the catalogue was changed after the check', async (t) => {
    const { items } = await importCatalogue(provider, await validWorkbook('Shared'))
    const person = await site.open(t)
    const { page } = person
    await page.locator('#target').selectOption({ label: 'Shared – Shared – active' })
    await person.choose(await renamed('Shared'))
    await person.take('check')
    const [item] = await items()
    await provider.put(`${catalogue}/catalogue-item/${item.id}`, { ...item, name: 'Of another user' }, 204)
    const result = await person.take('import')
    t.match(await result.innerText(), /The catalogue was changed after the check, so nothing was imported\./)
    await eventually(t, () => person.isOpen('import'), false)
    t.ok((await items()).some(({ name }) => name === 'Of another user'))
    const check = await person.take('check')
    await check.getByText('Of another user').waitFor()
    t.match(await (await person.take('import')).innerText(), /✓ Imported/)
  })

  await t.test('or changes a catalogue as a clerk', async (t) => {
    const theirs = await site.open(t, { token: clerkToken('region') })
    await theirs.page
      .getByText(
        /^Catalogues that you can change: [1-9]\d*\. You can create catalogues for: other-provider; provider\.$/
      )
      .waitFor()
    const person = await site.open(t, { token: clerkToken('other-region') })
    const { page } = person
    await page.getByText(/^Your organization administers no provider, so it has no catalogues\./).waitFor()
    t.equal(await page.getByRole('button').filter({ hasText: 'workbook' }).count(), 0)
  })
})
