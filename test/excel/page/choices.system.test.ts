import type { AddressInfo } from 'node:net'
import t from 'tap'
import { unsignedToken } from '../../../src/home/unsigned-token.js'
import { testApp } from '../../fixtures/app.js'
import { browserFor, picture, skip } from '../../fixtures/browser.js'
import { upload } from '../../fixtures/excel/client.js'
import { cellAt, edited, workbookOf } from '../../fixtures/excel/edit.js'
import { clean, markup } from '../../fixtures/excel/sheets.js'
import { uploadPage } from '../../fixtures/excel/upload-page.js'
import { catalogue, organization, world } from '../../fixtures/world.js'

const token = unsignedToken({ userType: 'Provider', organization: organization('provider') })

t.test('the page shows what changes, and lets the user choose the catalogue', { skip }, async (t) => {
  const app = await testApp(t)
  const { provider } = await world(app)
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
  const browser = await browserFor(t)
  await upload(provider, 'POST', '/catalogue', await clean('First'))
  await upload(provider, 'POST', '/catalogue', await clean('Second'))
  const changed = edited(await clean('First'), (book) => {
    cellAt(book, 'Devices', 1, 'Name').value = markup
    cellAt(book, 'Devices', 2, 'Status').value = 'AVAILABLE'
    const sheet = book.getWorksheet('Devices')
    if (sheet) sheet.getCell('H1').value = 'Price'
  })
  const names = async () =>
    (await provider.get(`${catalogue}/catalogues`)).body.map(({ name }: { name: string }) => name).sort()

  await t.test('a new catalogue that exists can be updated instead', async (t) => {
    const person = await uploadPage(browser, origin, { width: 360 })
    const { page } = person
    await person.give(token)
    await person.choose(await changed)
    const check = await person.take('check')
    t.match(await check.innerText(), /It did not succeed[\s\S]*already has this catalogue/)
    t.notOk(await person.isOpen('import'))
    await page.getByRole('button', { name: 'Update “First” instead' }).click()
    t.ok(await page.locator('#target-old').isChecked())
    t.equal(await page.evaluate('document.activeElement.id'), 'check', 'the focus is on the next step')
    await person.take('check')
    t.match(await check.innerText(), /2 items will be changed\.[\s\S]*2 rows are new or different/)
    const rows = await check
      .locator('.changes tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)))
    t.same(rows, [
      ['Devices 2', `00123 – ${markup}`, 'Name', 'Monitor', markup],
      ['Devices 3', '00124 – Scale', 'Status', 'Unavailable', 'Available']
    ])
    t.match(await check.locator('.ignored').innerText(), /Devices H1: Price/)
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is cut off')
    await picture(page, 'changes-narrow')
    const imported = await person.take('import')
    await imported.locator('.items').waitFor()
    t.match(await imported.innerText(), /The catalogue “First” now[\s\S]*It is active\./)
    const items = await imported
      .locator('.items tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)))
    t.same(items.toSorted(), [
      ['00123', markup, 'Device', 'can be ordered'],
      ['00124', 'Scale', 'Device', 'can be ordered']
    ])
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is cut off')
    await picture(page, 'imported-narrow')
    t.same(person.faults, [])
    await page.close()
  })

  await t.test('an update with the name of another catalogue must be confirmed', async (t) => {
    const person = await uploadPage(browser, origin, { locale: 'da-DK' })
    const { page } = person
    await person.give(token)
    await page.locator('#target-old').check()
    await page.locator('#catalogue').selectOption({ label: 'Second – Second – ACTIVE' })
    await person.choose(
      await workbookOf({
        Katalog: [
          ['Navn', 'Leverandør', 'Status'],
          ['First', 'provider', 'ACTIVE']
        ],
        Udstyr: [['Navn', 'Fabrikant', 'Model']]
      })
    )
    const check = await person.take('check')
    t.match(await check.innerText(), /Et andet af leverandørens kataloger har dette navn/)
    await page.getByRole('button', { name: 'Opdatér det valgte katalog alligevel' }).click()
    await check.getByText('✓ Ingen fejl').waitFor()
    t.same(await names(), ['Devices', 'First', 'Second'])
    await person.take('import')
    t.same(await names(), ['Devices', 'First', 'First'])
    t.same(person.faults, [])
    await page.close()
  })
})
