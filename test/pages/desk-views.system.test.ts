import t from 'tap'
import { accessibilityFaults, delayRequests, eventually, skipBrowser } from '../fixtures/browser.js'
import { copyRow } from '../fixtures/copies.js'
import { deskSite, deskTokens, dialog, link } from '../fixtures/desk.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { until } from '../fixtures/waiting.js'
import { add, agreeTime, pathOf, patient, transitionTo } from '../fixtures/world.js'

/*
 * Each view and each dialog of the order desk with much data: 500 orders, an order of 60 lines with
 * 100 messages, and long names.
 */

const LONG = 'Blodtryksmåler til måling i hjemmet med tilbehør og oplæring af pårørende'

t.test('the order desk with much data', { skip: skipBrowser }, async (t) => {
  const site = await deskSite(t)
  const { w } = site
  const receiver = {
    ...{ name: 'Karen-Margrethe Vestergaard Christoffersen-Østergaard', patient: patient('p1') },
    ...{ addressLine1: 'Gammel Kongevej ved Frederiksberg Allé 143, 3. th.', phone: '00 00 00 01' },
    ...{ postalCode: '1850', postalDistrict: 'Frederiksberg C', email: 'karen-margrethe@borger.example' }
  }
  const wish = { latestDeliveryDate: '2031-04-06', identifiers: [{ system: 'urn:x', value: 'AAK-1143' }] }
  const big = await w.createDraft({ ...wish, receiver, name: LONG, priority: true })
  const lines: string[] = []
  for (let at = 0; at < 60; at++) lines.push(await w.addLine(big))
  await w.nurse.patch(pathOf(big), transitionTo('SUBMITTED'), 204)
  for (let at = 0; at < 100; at += 20)
    await (at % 40 === 0 ? w.nurse : w.provider).patch(
      pathOf(big),
      Array.from({ length: 20 }, (_, n) => add('/notes/-', { note: `${at + n}: ${LONG}. ${LONG}.` })),
      204
    )
  for (const [at, line] of lines.slice(0, 30).entries()) {
    await w.provider.patch(pathOf(line), agreeTime('2031-04-05T08:00:00Z', '2031-04-05T09:00:00Z'), 204)
    const numbers = [add('/device/serialNumber', `SN-2031-${at}`), add('/device/lotNumber', 'LOT-1')]
    if (at < 20) await w.provider.patch(pathOf(line), [...transitionTo('FULFILLED'), ...numbers], 204)
  }
  const { order: other } = await w.submitted()
  const draft = await w.createDraft({ receiver, name: LONG })
  await w.addLine(draft)
  await site.sql`update orders set name = ${LONG}, receiver_name = ${receiver.name} where id = ${idOf(other)}`
  await copyRow(site, 'orders', idOf(other), 500, {
    patient: `'https://fhir.example/Patient/' || n`,
    receiver_name: `'${receiver.name} ' || n`
  })

  const of = (path: string, id: string, query = '') =>
    `#/${path}/${encodeURIComponent(path === 'patient' || path === 'new' ? id : idOf(id))}${query}`
  const views = {
    nurse: [
      '#/?list=sent&page=2',
      '#/?list=ended',
      of('order', big),
      of('order', draft),
      of('delivery-note', big),
      '#/patients',
      of('patient', receiver.patient),
      of('new', receiver.patient),
      of('new', receiver.patient, `?again=${idOf(big)}`),
      of('new', receiver.patient, `?order=${idOf(draft)}`),
      '#/devices?q=LOT-1',
      '#/nowhere'
    ],
    provider: ['#/?list=newOrders', of('order', big), '#/round?day=2031-04-05', '#/devices?q=LOT-1']
  }

  /** Whether a part of the view covers the content. */
  const covers = `[...document.querySelectorAll('main *')].some((each) =>
    ['fixed', 'sticky'].includes(getComputedStyle(each).position))`
  for (const person of ['nurse', 'provider'] as const)
    await t.test(`fits the screens of a ${person}, and is accessible`, async (t) => {
      const { page, look } = await site.open(t, deskTokens[person])
      const titles: string[] = []
      for (const view of views[person]) {
        await page.goto(`${site.origin}/desk/${view}`)
        // The former view stays until the browser reports the new fragment.
        await until(async () => (await page.title()) !== titles.at(-1))
        await page.locator('h1').waitFor()
        for (const [width, height, colorScheme] of [
          [1280, 6000, 'light'],
          [390, 12_000, 'dark'],
          [320, 12_000, 'dark']
        ] as const) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme })
          await look(`${view}, ${width}`)
          const actual = await page.evaluate<number>('document.documentElement.scrollHeight')
          t.ok(actual <= height, `${view} is ${actual} pixels high at a width of ${width}`)
        }
        await page.setViewportSize({ width: 320, height: 256 })
        t.notOk(await page.evaluate(covers), `${view} is readable at 400 %`)
        titles.push(await page.title())
      }
      t.equal(new Set(titles).size, titles.length, `each view has its own title: ${titles}`)
      await page.close()
    })

  for (const person of ['nurse', 'provider'] as const)
    await t.test(`has accessible dialogs for a ${person}`, async (t) => {
      const { page } = await site.open(t, deskTokens[person], {}, of('order', other))
      await page.locator('.menu').waitFor()
      const opening = page.getByRole('button', { name: /…$/, includeHidden: true })
      for (let at = 0; at < (await opening.count()); at++) {
        await page.evaluate(`document.querySelector('.menu').open = true`)
        await opening.nth(at).evaluate((each) => (each as unknown as { click(): void }).click())
        for (const [width, colorScheme] of [
          [1280, 'light'],
          [390, 'dark']
        ] as const) {
          await page.setViewportSize({ width, height: 844 })
          await page.emulateMedia({ colorScheme })
          const title = await dialog(page).locator('h2').innerText()
          t.same(await accessibilityFaults(page, 'dialog'), [], `${title}, ${width}`)
        }
        await page.keyboard.press('Escape')
        await dialog(page).waitFor({ state: 'detached' })
      }
      await page.close()
    })

  await t.test(
    'restores the position of the user, and shows that a slow request is in progress',
    async (t) => {
      const { page } = await site.open(t, deskTokens.nurse, {}, '#/?list=sent&page=2')
      await page.getByText('26–50 of 502').waitFor()
      const sendDelayed = await delayRequests(page, '**/details?**')
      await page.locator('tbody a').last().click()
      await page.getByText('Loading …').waitFor()
      sendDelayed()
      await page.getByText('50 of 502').waitFor()
      await link(page, 'Next ›').click()
      await page.getByText('51 of 502').waitFor()
      for (const _ of [1, 2]) await page.goBack()
      await page.getByText('26–50 of 502').waitFor()
      await eventually(t, () => page.evaluate('scrollY > 0'), true, 'scrolled as before')
      await page.reload()
      await page.locator('#token').fill(deskTokens.nurse)
      await page.locator('#access-form button').click()
      await page.getByText('26–50 of 502').waitFor()
      await page.close()
    }
  )
})
