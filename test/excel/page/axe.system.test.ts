import type { AddressInfo } from 'node:net'
import t from 'tap'
import { unsignedToken } from '../../../src/home/unsigned-token.js'
import { testApp } from '../../fixtures/app.js'
import { accessibilityFaults, browserFor, picture, skip } from '../../fixtures/browser.js'
import { clean, faulty } from '../../fixtures/excel/sheets.js'
import { uploadPage } from '../../fixtures/excel/upload-page.js'
import { organization, world } from '../../fixtures/world.js'

const token = unsignedToken({ userType: 'Provider', organization: organization('provider') })

t.test('axe finds nothing on the page, light or dark', { skip }, async (t) => {
  const app = await testApp(t)
  await world(app)
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
  const browser = await browserFor(t)
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 1280],
    ['dark', 360]
  ] as const) {
    const person = await uploadPage(browser, origin, { locale: 'da-DK', width })
    const { page } = person
    await page.emulateMedia({ colorScheme })
    const look = async (what: string) => {
      t.same(await accessibilityFaults(page), [], `${what}, ${colorScheme}, ${width}`)
      await picture(page, `axe-${colorScheme}-${width}-${what}`)
    }
    const background = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    t.equal(background === 'rgb(18, 23, 22)', colorScheme === 'dark', 'the page is as dark as the rest')
    await look('start')
    await person.give(token)
    await page.locator('#target-old').check()
    await look('update')
    await page.locator('#target-new').check()
    await person.choose(await faulty())
    await person.take('check')
    await look('faults')
    await person.choose(await clean(`List ${colorScheme} ${width}`))
    await person.take('check')
    await look('changes')
    await (await person.take('import')).locator('.items').waitFor()
    await page.locator('.history table').waitFor()
    await look('imported')
    await page.locator('.undo > button').click()
    await look('confirm')
    await page.locator('.confirm .first').click()
    await page.getByText('✓ Indlæsningen er taget tilbage.').waitFor()
    await look('undone')
    await person.choose(await clean(`List ${colorScheme} ${width}`))
    await person.take('check')
    await look('exists')
    t.same(person.faults, [])
    await page.close()
  }
})
