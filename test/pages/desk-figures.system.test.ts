import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { unsignedToken, usualPermissions } from '../../src/platform/auth/tokens/unsigned-token.js'
import { eventually, skipBrowser } from '../fixtures/browser.js'
import { button, deskSite, deskTokens, link } from '../fixtures/desk.js'
import { startMailServer } from '../fixtures/mail-server.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { type CountedOrder, writeOrders } from '../fixtures/statistics.js'
import { until } from '../fixtures/waiting.js'
import { orders, organization, patient } from '../fixtures/world.js'

/** The folder for screenshots of the views. */
const images = process.env.FIGURE_IMAGES
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
const clerk = unsignedToken({
  userType: 'AdministrativeClerk',
  organization: organization('region'),
  name: 'Clara Clerk'
})

/** Noon of a day in the month that is this number of months ago. */
function noon(monthsAgo: number, day: number): number {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, day, 12)
}

const choice = (page: Page, name: string) => page.getByRole('combobox', { name })

const toggle = (page: Page) => page.getByRole('switch', { name: 'Notify us by e-mail' })

async function picture(page: Page, name: string) {
  if (images) await page.screenshot({ path: `${images}/${name}.png`, fullPage: true })
}

t.test('the order desk shows figures', { skip: skipBrowser }, async (t) => {
  const site = await deskSite(t)
  const { w, sql, open } = site
  await sql`update parties set name = 'Aarhus Kommune' where name = 'region'`
  await sql`update parties set name = 'Måneskær Medicoteknik ApS' where name = 'provider'`
  await sql`update parties set name = 'Nordlys Hjælpemidler A/S' where name = 'other-provider'`
  const orderOf = (monthsAgo: number, at: number, seller: string): CountedOrder => {
    const submitted = noon(monthsAgo, 1 + (at % 28))
    const answered = submitted + (1 + ((at * 7) % (20 + monthsAgo))) * 3_600_000
    const closed = submitted + (1 + ((at * 3) % (4 + (monthsAgo % 3)))) * 86_400_000
    const status = at % 17 === 0 ? 'REJECTED' : at % 13 === 0 ? 'CANCELLED' : 'FULFILLED'
    const isDone = status === 'FULFILLED'
    const action = at % 5 === 0 ? 'REPAIR' : 'DELIVER'
    return {
      ...{
        buyer: idOf(w.buyer),
        seller: idOf(seller),
        patient: patient(`p${at}`),
        status,
        submitted,
        answered
      },
      ...{ deliveryDue: null, wasLate: at % 6 === 0, wasReturned: at % 11 === 0 },
      lines: [
        {
          ...{ item: idOf(action === 'DELIVER' ? w.monitor : w.repair), action, performed: null, closed },
          ...{ status: isDone ? 'FULFILLED' : 'CANCELLED', isDeleted: false },
          device: isDone && action === 'DELIVER' ? { from: closed, until: null } : null
        }
      ]
    }
  }
  const many = Array.from({ length: 11 }, (_, month) =>
    Array.from({ length: 12 + ((month * 5) % 9) }, (_, at) => orderOf(month + 1, at + 1, w.seller))
  )
  const few = [1, 2, 3].flatMap((month) => [1, 2, 3].map((at) => orderOf(month, at, w.otherSeller)))
  await writeOrders(site, [...many.flat(), ...few])
  const count = many.flat().length

  await t.test('to a nurse, with filters, in both languages, light and dark, wide and narrow', async (t) => {
    const { page, look } = await open(t, deskTokens.nurse)
    await link(page, 'Figures').click()
    await page.getByRole('table', { name: 'By provider' }).waitFor()
    await page.getByText(/^An order is late if it was not done by its agreed time\./).waitFor()
    await eventually(t, () => page.title(), /^Figures, .+ – .+ – Order desk$/)
    await eventually(t, () => page.evaluate('document.activeElement.tagName'), 'H1')
    await look('figures')
    await picture(page, 'nurse')
    await eventually(
      t,
      () => page.getByRole('row', { name: /^Måneskær/ }).innerText(),
      new RegExp(`\\t${count}\\t`)
    )
    await eventually(t, () => page.getByRole('img').count(), 3)
    t.equal(await page.getByText('Others').count(), 0)
    await choice(page, 'Provider').selectOption({ label: 'Nordlys Hjælpemidler A/S' })
    await page.getByText('✓ Nordlys Hjælpemidler A/S').waitFor()
    const months = page.getByRole('table', { name: 'By month' }).getByRole('row')
    await until(async () => (await months.count()) === 4)
    await choice(page, 'Action').selectOption({ label: 'Repair' })
    await page.getByText('No orders in this period.').waitFor()
    await look('no figures')
    t.match(page.url(), /action=REPAIR/)

    await page.goBack()
    await link(page, 'Figures').click()
    await page.getByRole('table', { name: 'By provider' }).waitFor()
    async function csv(): Promise<string[]> {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        button(page, 'Download as CSV').nth(1).click()
      ])
      return readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n')
    }
    const [heads = '', ...rows] = await csv()
    t.match(heads, /seller.*orders/)
    t.equal(rows.length, 2)
    await choice(page, 'Action').selectOption('DELIVER')
    await page.getByText('✓ Delivery').waitFor()
    const [, ...delivered] = await csv()
    t.equal(delivered.length, 2)
    t.ok(delivered.every((row) => row.includes(',DELIVER,')))
    await page.evaluate("location.hash = '#/figures?from=x&to=2031-13'")
    await page.locator('.loaded:not([inert])').getByRole('table', { name: 'By provider' }).waitFor()
    await page.emulateMedia({ media: 'print' })
    await eventually(t, () => choice(page, 'Provider').isVisible(), false, 'no filter on paper')
    await eventually(t, () => page.getByRole('img').first().isVisible(), true)
    await picture(page, 'print')
    await page.close()

    for (const width of [390, 320]) {
      const narrow = await open(t, deskTokens.provider, {
        ...phone,
        viewport: { width, height: 844 },
        locale: 'da-DK'
      })
      await link(narrow.page, 'Nøgletal').click()
      await narrow.page.getByRole('table', { name: 'Pr. køber' }).waitFor()
      await narrow.look(`figures at ${width} pixels`)
      await picture(narrow.page, `provider-${width}`)
      await narrow.page.close()
    }
  })

  await t.test('to a clerk, without groups of few patients', async (t) => {
    const { page, look } = await open(t, clerk)
    await look('the start of a clerk')
    await link(page, 'Figures').click()
    await page.getByText(/^Groups of fewer than 5 patients in a month are left out/).waitFor()
    await page
      .getByRole('row', { name: /^Others small groups/ })
      .first()
      .waitFor()
    t.equal(await page.getByText('Nordlys').count(), 0)
    await look('figures of a clerk')
    await picture(page, 'clerk')
    t.equal(await page.getByRole('link', { name: 'Orders' }).count(), 0)
    await page.close()
  })

  await t.test('only with the permission; otherwise the page says why they are missing', async (t) => {
    const { page } = await open(t, deskTokens.nurse)
    await page.route('**/order-statistics*', (route) => route.abort())
    await link(page, 'Figures').click()
    await page.getByRole('alert').getByText('The server did not respond.').waitFor()
    await page.close()
    const other = unsignedToken({
      ...{ userType: 'Provider', organization: organization('provider') },
      permissions: usualPermissions.Provider.filter((each) => each !== 'OrderStatistics.read')
    })
    const unpermitted = await open(t, other)
    await link(unpermitted.page, 'Round of the day').waitFor()
    t.equal(await link(unpermitted.page, 'Figures').count(), 0)
    await unpermitted.page.close()
  })
})

t.test('the order desk enables and disables mail', { skip: skipBrowser }, async (t) => {
  const { port, mails } = await startMailServer(t)
  const site = await deskSite(t, { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'ssl@platform.example' })
  const { w, sql, open } = site
  const listed = async () => (await w.nurse.get(`${orders}/subscriptions`, 200)).body
  const missing = await open(t, deskTokens.nurse)
  await missing.page.getByText(/^Your organization has no e-mail address\./).waitFor()
  await eventually(t, () => toggle(missing.page).isDisabled(), true)
  await missing.page.close()

  await sql`update parties set email = 'Orders@Region.example' where name = 'region'`
  const { page, look } = await open(t, deskTokens.nurse)
  await toggle(page).click()
  await page.getByText('A test mail is on its way to Orders@Region.example.').waitFor()
  await until(() => mails.length > 0)
  t.equal(mails[0]?.to[0]?.toLowerCase(), 'orders@region.example')
  await until(async () => (await listed())[0].status === 'ACTIVE')
  t.match(await listed(), [{ types: ['order.status-changed', 'order.awaiting-changed', 'order.overdue'] }])
  await link(page, 'Patients').click()
  await link(page, 'Order desk').click()
  await page.getByText('Mail goes to Orders@Region.example, at most every 15 minutes.').waitFor()
  await look('the list with the switch')
  await picture(page, 'mail')
  await toggle(page).click()
  await page.getByText('To Orders@Region.example, at most every 15 minutes.', { exact: true }).waitFor()
  t.same(await listed(), [])

  await sql`update parties set email = 'other@region.example' where name = 'region'`
  await toggle(page).click()
  await page.getByRole('alert').getByText('The e-mail address of your organization has changed.').waitFor()
  await eventually(t, () => toggle(page).isChecked(), false)
  await page.close()
})
