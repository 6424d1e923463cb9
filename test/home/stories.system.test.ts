import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { browserFor, collectPageErrors, skipBrowser } from '../fixtures/browser.js'
import { button, link, orderLink, tab } from '../fixtures/desk.js'
import { runDemo } from '../fixtures/run-command.js'
import { startServer } from '../fixtures/server.js'

/** The folder for the pictures of the documents: `SCREENSHOTS=docs/images`. */
const images = process.env.SCREENSHOTS

async function picture(page: Page, name: string, height: number): Promise<void> {
  if (images === undefined) return
  await page.setViewportSize({ width: 1040, height })
  await page.mouse.move(0, 0)
  await page.screenshot({ path: join(images, name) })
}

/** The time zone in which it is noon in this hour: the day of the demo lasts for the whole test. */
function noonTimeZone(): string {
  const offset = 12 - new Date().getUTCHours()
  // The names of these zones have the opposite sign.
  return offset > 0 ? `Etc/GMT-${offset}` : `Etc/GMT+${-offset}`
}

t.test('after the demo each person of the first page finds their story', { skip: skipBrowser }, async (t) => {
  const timeZone = noonTimeZone()
  const server = await startServer(t, {
    ...{ DATABASE_URL: await cloneDatabase(t), EVENT_LOOP_DELAY_LIMIT: '0', TIME_ZONE: timeZone }
  })
  await server.ready()
  t.equal((await runDemo(t, { PUBLIC_URL: server.url, TIME_ZONE: timeZone })).code, 0)
  const context = await (await browserFor(t)).newContext({
    ...{ locale: 'en-GB', timezoneId: timeZone, viewport: { width: 1280, height: 900 } }
  })
  const home = await context.newPage()
  await home.goto(server.url)

  const openAs = async (person: string) => {
    const [page] = await Promise.all([
      home.waitForEvent('popup'),
      home.getByRole('button', { name: `Open as ${person}` }).click()
    ])
    return { page, faults: collectPageErrors(page) }
  }

  await t.test('the nurse finds a question, a rejected order and the devices of a patient', async (t) => {
    const { page, faults } = await openAs('Sofie Sygeplejerske')
    await tab(page, 'Need your answer 1').click()
    await orderLink(page, 'Blodtryksmåler').click()
    await page.getByText('Måneskær Medicoteknik ApS asks:').waitFor()
    await link(page, 'Order desk').click()
    await tab(page, 'Rejected and cancelled 1').click()
    await orderLink(page, 'Pulsoximeter').click()
    await link(page, 'Order again').waitFor()
    await link(page, 'Patients').click()
    await page.getByText('Dagny Digterfigur').first().waitFor()
    await link(page, 'Receiver: Asta Opdigtet').click()
    await page.getByRole('cell', { name: 'UA767-513228' }).waitFor()
    await orderLink(page, 'Blodtryksmåler med oplæring').click()
    await page.getByText('Ja, vi kører ud i dag.').waitFor()
    await picture(page, 'order.png', 860)
    t.same(faults, [])
    await page.close()
  })

  await t.test(
    'the provider finds new orders, a question, a late order and the stops of today',
    async (t) => {
      const { page, faults } = await openAs('Tage Tekniker')
      await tab(page, 'New 2').waitFor()
      await tab(page, 'Need your answer 1').waitFor()
      await tab(page, 'In progress 5').click()
      await page.getByText('1 day late').waitFor()
      await picture(page, 'inbox.png', 780)
      await link(page, 'Round of the day').click()
      for (const receiver of ['Dagny Digterfigur', 'Ejvind Eventyrmand'])
        await page.getByRole('cell', { name: receiver }).waitFor()
      await orderLink(page, 'Personvægt med oplæring').click()
      await page.getByLabel('Select Personvægt: Delivery').check()
      await button(page, 'Done …').waitFor()
      t.same(faults, [])
      await page.close()
    }
  )

  await t.test('the clerk finds an item without a decision and a contract that soon ends', async (t) => {
    const { page, faults } = await openAs('Regitse Register')
    const item = page.getByRole('row', { name: 'Øretermometer' })
    await item.waitFor()
    t.match(await item.innerText(), /\bNo\b/)
    await link(page, 'Contracts').click()
    await tab(page, 'Expiring soon 1').click()
    await link(page, 'Aftale om afprøvning af måleudstyr').waitFor()
    t.same(faults, [])
    await page.close()
  })
})
