import type { AddressInfo } from 'node:net'
import t from 'tap'
import { unsignedToken } from '../../../src/home/unsigned-token.js'
import { testApp } from '../../fixtures/app.js'
import { browserFor, skip } from '../../fixtures/browser.js'
import { clean } from '../../fixtures/excel/sheets.js'
import { itemsOf } from '../../fixtures/excel/undo.js'
import { uploadPage } from '../../fixtures/excel/upload-page.js'
import { catalogue, organization, world } from '../../fixtures/world.js'

/*
 * The history of imports on the upload page, and taking the last one back.
 */

const token = unsignedToken({ userType: 'Provider', organization: organization('provider') })

t.test('after an import the page', { skip }, async (t) => {
  const app = await testApp(t)
  const { provider } = await world(app)
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
  const browser = await browserFor(t)
  const imported = async (name: string, locale = 'en-GB') => {
    const person = await uploadPage(browser, origin, { locale })
    await person.give(token)
    await person.choose(await clean(name), `${name}.xlsx`)
    await person.take('check')
    const result = await person.take('import')
    await person.page.locator('.history table').waitFor()
    const url = (await result.getByRole('link').getAttribute('href')) ?? ''
    return { person, page: person.page, result, url, history: person.page.locator('.history') }
  }

  await t.test('shows the history, and takes the import back with the keyboard alone', async (t) => {
    const { person, page, result, url, history } = await imported('First')
    t.match(
      await history.innerText(),
      /Imports of this catalogue[\s\S]*Import\. 2 items were added\.\s+First\.xlsx/
    )
    const focused = () => page.evaluate('document.activeElement.textContent')
    const tabTo = async (words: RegExp) => {
      for (let at = 0; at < 15 && !words.test((await focused()) as string); at++)
        await page.keyboard.press('Tab')
      t.match(await focused(), words)
    }
    await tabTo(/^Take back the import of /)
    await page.keyboard.press('Enter')
    t.match(await focused(), /^Take back this import\?/, 'the question has the focus')
    await tabTo(/^No, keep it$/)
    await page.keyboard.press('Enter')
    t.match(await focused(), /^Take back the import of /, 'the focus returns')
    t.match(
      (await itemsOf(provider, url)).map(({ status }) => status),
      ['AVAILABLE', 'AVAILABLE']
    )
    await page.keyboard.press('Space')
    await tabTo(/^Yes, take it back$/)
    await page.keyboard.press('Enter')
    await page.getByText('✓ The import was taken back.').waitFor()
    t.equal(await focused(), 'Imports of this catalogue')
    t.match(
      await history.innerText(),
      /An import was taken back\. 2 items were made unavailable\.[\s\S]*It was taken back\./
    )
    t.equal(await page.locator('.undo > *').count(), 0, 'nothing is left to take back')
    t.match(
      (await itemsOf(provider, url)).map(({ status }) => status),
      ['UNAVAILABLE', 'UNAVAILABLE']
    )
    await result.getByText('It is inactive: nothing can be ordered from it.').waitFor()
    t.match(await page.locator('.items').innerText(), /cannot be ordered at the moment/)
    t.same(person.faults, [])
    await page.close()
  })

  await t.test('says in both languages what stands against it', async (t) => {
    const { person, page, url, history } = await imported('Second', 'da-DK')
    t.match(await history.innerText(), /Kataloget er indlæst sådan[\s\S]*Indlæsning\. 2 varer er tilføjet\./)
    const [item] = await itemsOf(provider, url)
    await provider.put(`${catalogue}/catalogue-item/${item.id}`, { ...item, name: 'Renamed' }, 204)
    for (const [language, button, words] of [
      ['Dansk', 'Ja, tag den tilbage', '“Renamed”: Det er ændret efter indlæsningen.'],
      ['English', 'Yes, take it back', '“Renamed”: It changed since the import.']
    ] as const) {
      await page.getByRole('button', { name: language }).click()
      await page.locator('.undo > button').click()
      await page.getByRole('button', { name: button }).click()
      await history.getByText(words).waitFor()
    }
    t.notMatch(await history.innerText(), /[æøå]/i)
    t.same(person.faults, [])
    await page.close()
  })
})
