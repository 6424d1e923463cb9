import t from 'tap'
import { testApp } from '../../fixtures/app.js'
import { browserFor, skip } from '../../fixtures/browser.js'
import { front } from '../../fixtures/excel/front.js'
import { clean } from '../../fixtures/excel/sheets.js'
import { providerToken, uploadPage } from '../../fixtures/excel/upload-page.js'
import { catalogue, world } from '../../fixtures/world.js'

t.test('when the response to an import is lost, the page', { skip }, async (t) => {
  const app = await testApp(t)
  const { provider } = await world(app)
  const browser = await browserFor(t)
  const count = async () => (await provider.get(`${catalogue}/catalogues`)).body.length

  for (const lost of ['all', 'half'] as const)
    await t.test(`says that its outcome is unknown: ${lost} of it`, async (t) => {
      const before = await count()
      const person = await uploadPage(browser, await front(t, app.app, lost))
      await person.give(providerToken)
      // A second catalogue with the same identifier would be refused.
      await person.choose(await clean(`Home devices ${lost}`))
      await person.take('check')
      t.match(await (await person.take('import')).innerText(), /may or may not have been imported/)
      t.equal(await count(), before + 1, 'here it was written')
      t.notOk(await person.isOpen('import'), 'it cannot be repeated without a check')
      await person.page.close()
    })
})
