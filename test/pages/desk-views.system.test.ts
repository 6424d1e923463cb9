import { appendFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { accessibilityFaults, skip } from '../fixtures/browser.js'
import { copyRow } from '../fixtures/copies.js'
import { deskSite, dialog, people } from '../fixtures/desk.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { add, agree, moveTo, pathOf, patient } from '../fixtures/world.js'

/*
 * Each view and each dialog of the order desk with much data: 500 orders, an order of 60 lines with
 * 100 messages, and long names.
 */

const LONG = 'Blodtryksmåler til måling i hjemmet med tilbehør og oplæring af pårørende'
const screenshots = process.env.VIEWS

t.test('the order desk with much data', { skip }, async (t) => {
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
  await w.nurse.patch(pathOf(big), moveTo('SUBMITTED'), 204)
  for (let at = 0; at < 100; at += 20)
    await (at % 40 === 0 ? w.nurse : w.provider).patch(
      pathOf(big),
      Array.from({ length: 20 }, (_, n) => add('/notes/-', { note: `${at + n}: ${LONG}. ${LONG}.` })),
      204
    )
  for (const [at, line] of lines.slice(0, 30).entries()) {
    await w.provider.patch(pathOf(line), agree('2031-04-05T08:00:00Z', '2031-04-05T09:00:00Z'), 204)
    const numbers = [add('/device/serialNumber', `SN-2031-${at}`), add('/device/lotNumber', 'LOT-1')]
    if (at < 20) await w.provider.patch(pathOf(line), [...moveTo('FULFILLED'), ...numbers], 204)
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

  for (const person of ['nurse', 'provider'] as const)
    await t.test(`fits the screens of a ${person}, and is accessible`, async (t) => {
      const { page, look } = await site.open(t, people[person])
      const titles: string[] = []
      for (const [at, view] of views[person].entries()) {
        await page.goto(`${site.origin}/desk/${view}`)
        await page.locator('h1').waitFor()
        await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' })
        titles.push(await page.title())
        const name = `${person} ${view.slice(0, 40)}`
        for (const [width, height, colorScheme] of [
          [1280, 6000, 'light'],
          [1280, 6000, 'dark'],
          [390, 12_000, 'dark'],
          [320, 16_000, 'light']
        ] as const) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme })
          if (width !== 320 && !process.env.MEASURE) await look(`${name}, ${width} ${colorScheme}`)
          const [overflow, actual] = await page.evaluate<number[]>(
            '[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight]'
          )
          t.ok(Number(overflow) <= 0, `${name} is not wider than ${width}: ${overflow}`)
          t.ok(Number(actual) <= height, `${name} is not higher than ${height} at ${width}: ${actual}`)
          appendFileSync('/tmp/actions/heights.txt', `${name} ${width} ${overflow} ${actual}\n`)
          if (screenshots && (width === 390 || colorScheme === 'light'))
            await page.screenshot({
              path: `${screenshots}/${person}-${at}-${width}.png`,
              fullPage: true
            })
        }
      }
      t.equal(new Set(titles).size, titles.length, `each view has a title: ${titles}`)
      await page.close()
    })

  const open = async (page: Page, at: number) => {
    await page
      .locator('.menu:not([open]) summary')
      .click({ timeout: 1 })
      .catch(() => {})
    await page.getByRole('button', { name: /…$/ }).nth(at).click()
  }
  for (const person of ['nurse', 'provider'] as const)
    if (!process.env.MEASURE)
      await t.test(`has accessible dialogs for a ${person}`, async (t) => {
        const { page } = await site.open(t, people[person], {}, of('order', big))
        await page.getByLabel('Select all').check()
        for (const view of [
          of('order', big),
          ...(person === 'nurse' ? [of('patient', receiver.patient)] : [])
        ]) {
          await page.goto(`${site.origin}/desk/${view}`)
          await page.locator('h1').waitFor()
          await page.getByRole('button', { name: /…$/ }).first().waitFor()
          const count = Math.min(8, await page.getByRole('button', { name: /…$/ }).count())
          for (let at = 0; at < count; at++) {
            await open(page, at)
            await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' })
            for (const [width, colorScheme] of [
              [1280, 'light'],
              [390, 'dark']
            ] as const) {
              await page.setViewportSize({ width, height: 844 })
              await page.emulateMedia({ colorScheme })
              const title = await dialog(page).locator('h2').innerText()
              t.same(await accessibilityFaults(page), [], `${title}, ${width}`)
              if (screenshots)
                await page.screenshot({
                  path: `${screenshots}/${person}-dialog-${title.slice(0, 20)}-${width}.png`
                })
            }
            await page.keyboard.press('Escape')
          }
        }
        await page.close()
      })
})
