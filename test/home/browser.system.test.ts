import type { Locator } from 'playwright-core'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import {
  accessibilityFaults,
  browserFor,
  collectPageErrors,
  eventually,
  skipBrowser
} from '../fixtures/browser.js'

t.test('the first page in a browser', { skip: skipBrowser }, async (t) => {
  const { app } = await testApp(t)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const browser = await browserFor(t)
  const open = async (options: object = {}) => {
    const context = await browser.newContext({ locale: 'en-GB', bypassCSP: true, ...options })
    const page = await context.newPage()
    const faults = collectPageErrors(page)
    await page.goto(origin)
    return { page, faults }
  }

  await t.test('is accessible on a phone, in both languages and colour schemes', async (t) => {
    for (const locale of ['en-GB', 'da-DK'])
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await open({ locale, colorScheme, viewport: { width: 360, height: 740 } })
        t.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2))
        t.same(await accessibilityFaults(page), [], `${locale} ${colorScheme}`)
        t.equal(
          await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
          true,
          'it does not scroll sideways'
        )
        await page.close()
      }
  })

  await t.test('switches its language', async (t) => {
    const { page } = await open()
    await page.getByRole('link', { name: 'Dansk' }).click()
    await page.getByRole('heading', { name: 'Grænseflader' }).waitFor()
    await eventually(t, () => page.locator('html').getAttribute('lang'), 'da')
    await page.close()
  })

  await t.test(
    'opens the page of an API with a token, by keyboard and under its security policy',
    async (t) => {
      const { page, faults } = await open({ bypassCSP: false })
      await page.getByLabel('Person').selectOption('Sofie Sygeplejerske')
      await pressWithKeyboard(page.getByRole('button', { name: 'API: Orders' }))
      await page.waitForURL(/\/ssl-order\/v1\/docs\//)
      const operation = page.locator('.opblock-get:has([data-path="/me"])')
      await operation.locator('.opblock-summary-control').click()
      await operation.locator('.execute').click()
      const live = operation.locator('.live-responses-table')
      await live.waitFor()
      await eventually(t, () => live.innerText(), /200[\s\S]*MonitoringResponsible/)
      t.same(faults, [])
      await page.close()
    }
  )

  await t.test('opens the desk as the user on a card', async (t) => {
    const { page, faults } = await open({ bypassCSP: false })
    for (const [person, view] of [
      ['Sofie Sygeplejerske', 'Patients'],
      ['Tage Tekniker', 'Round of the day'],
      ['Regitse Register', 'What may be ordered']
    ] as const) {
      const [desk] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('button', { name: `Open as ${person}` }).click()
      ])
      await desk.getByRole('navigation').getByRole('link', { name: view }).waitFor()
      await desk.locator('.me').getByText(person).waitFor()
      await desk.close()
    }
    t.same(faults, [])
    await page.context().close()
  })

  await t.test('is linked from the pages that have no access key', async (t) => {
    for (const path of ['/desk/', '/ssl-catalogue-excel/v1/upload']) {
      const { page, faults } = await open({ bypassCSP: false })
      await page.goto(origin + path)
      await page.getByRole('link', { name: /choose a person on the first page/ }).click()
      await page.waitForURL(`${origin}/?language=en`)
      t.same(faults, [], path)
      await page.context().close()
    }
  })

  await t.test('opens the other pages as a user, and hands over tokens, also after a reload', async (t) => {
    const { page, faults } = await open({ locale: 'da-DK', bypassCSP: false })
    const given = /^✓ Adgangsnøglen er modtaget/
    await page.getByLabel('Person').selectOption('Hanne Hjemmebesøg')
    const [desk] = await Promise.all([
      page.waitForEvent('popup'),
      pressWithKeyboard(page.getByRole('button', { name: /^Bestillingsportal: / }))
    ])
    await desk.getByText(given).waitFor()
    t.match(desk.url(), /\/desk\/\?language=da$/)
    await desk.reload()
    await desk.getByText(given).waitFor()
    await page.getByLabel('Person').selectOption('Lis Lager')
    const [upload] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Send et katalog' }).click()
    ])
    await upload.getByText(given).waitFor()
    t.same(faults, [])
    await page.context().close()
  })
})

/** Moves the focus to a button with the Tab key, and presses Enter. */
async function pressWithKeyboard(button: Locator): Promise<void> {
  for (let at = 0; at < 40; at++) {
    if (await button.evaluate((each) => each === each.ownerDocument.activeElement)) break
    await button.page().keyboard.press('Tab')
  }
  await button.page().keyboard.press('Enter')
}
