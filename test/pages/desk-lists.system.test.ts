import type { Page } from 'playwright-core'
import t from 'tap'
import { eventually, skipBrowser } from '../fixtures/browser.js'
import { copyRow } from '../fixtures/copies.js'
import { button, deskSite, deskTokens, link, orderLink, tab } from '../fixtures/desk.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { add, catalogue, deviceModel, pathOf, patient, transitionTo } from '../fixtures/world.js'

/*
 * Lists of the order desk that are longer than a page: a user sees how many entries there are, and
 * reaches each of them.
 */

/**
 * Shows further entries until a list is complete. A page of the server may be shorter than
 * requested.
 */
async function showAll(page: Page) {
  const shown = page.getByText(/ are shown\.$/)
  while ((await shown.count()) > 0) {
    const before = await shown.innerText()
    await button(page, 'Show more').click()
    await page.getByText(before, { exact: true }).waitFor({ state: 'detached' })
  }
}

t.test('the order desk shows long lists', { skip: skipBrowser }, async (t) => {
  const site = await deskSite(t)
  const { w } = site
  const submit = async (more: object) => {
    const order = await w.createDraft(more)
    const line = await w.addLine(order)
    await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
    return { order, line }
  }
  await submit({ name: 'The oldest, late', latestDeliveryDate: '2020-01-01' })
  await submit({ name: 'The second, late', latestDeliveryDate: '2020-01-02' })
  await submit({ name: 'The third' })
  const { order, line } = await submit({
    name: 'One of many',
    receiver: { name: 'Mona Many', patient: patient('many') }
  })
  await copyRow(site, 'orders', idOf(order), 450)
  await w.provider.patch(
    pathOf(line),
    [
      { op: 'add', path: '/agreedFrom', value: '2031-03-05T09:00:00Z' },
      { op: 'add', path: '/agreedTo', value: '2031-03-05T10:00:00Z' }
    ],
    204
  )
  await copyRow(site, 'order_lines', idOf(line), 250)

  await t.test('counts each list as the server does, and shows it page by page', async (t) => {
    for (const person of ['nurse', 'provider'] as const) {
      const { page, look } = await site.open(t, deskTokens[person])
      await tab(page, 'Late 2').click()
      const titles = page.locator('tbody td:first-child a')
      await page.getByText('1–2 of 2').waitFor()
      await eventually(
        t,
        async () => (await titles.allInnerTexts()).join(),
        /^The oldest, late · [^,]*,The second, late · [^,]*$/
      )
      await eventually(t, () => page.title(), /^Late \(2\) – /)
      await tab(page, person === 'nurse' ? 'Ordered 454' : 'New 454').click()
      await page.getByText('1–25 of 454').waitFor()
      await eventually(t, () => titles.count(), 25)
      const first = (await titles.allInnerTexts()).slice(0, 2)
      t.match(first, [/^The oldest, late · /, /^The second, late · /])
      await look('a page of a list')
      await link(page, 'Next').click()
      await page.getByText('26–50 of 454').waitFor()
      await titles.first().click()
      await page.getByText('26 of 454').waitFor()
      await link(page, 'Next ›').click()
      await page.getByText('27 of 454').waitFor()
      await page.goBack()
      await page.goBack()
      await page.getByText('26–50 of 454').waitFor()
      await page.getByRole('searchbox').fill('third')
      await button(page, 'Search').click()
      await orderLink(page, 'The third').waitFor()
      await page.getByText('1–1 of 1').waitFor()
      await tab(page, 'Late 2').click()
      await page.getByRole('searchbox').fill('third')
      await button(page, 'Search').click()
      await page.getByText('No order here matches “third”.').waitFor()
      await look('a list without a match')
      await link(page, person === 'nurse' ? 'Ordered (1)' : 'New (1)').click()
      await orderLink(page, 'The third').waitFor()
      await page.goto(`${site.origin}/desk/#/?list=late&page=9`)
      await page.getByText('1–2 of 2').waitFor()
      await page.getByRole('searchbox').fill('nothing like this')
      await button(page, 'Search').click()
      await page.getByText('No order matches “nothing like this”.').waitFor()
      await look('an empty list')
      await page.route('**/ssl-order/v1/orders?**', (route) => route.fulfill({ status: 503, body: '' }))
      await link(page, 'Order desk').click()
      await page.locator('.bad').nth(1).waitFor({ state: 'attached' })
      await eventually(t, () => page.getByRole('alert').count(), 1, 'the counts and the list have one error')
      await page.close()
    }
  })

  await t.test('shows rejected orders until the user visits their list, and orders them again', async (t) => {
    const { order } = await submit({ name: 'Not possible' })
    const reason = { op: 'add', path: '/statusReason', value: { code: 'OUT_OF_STOCK' } }
    await w.provider.patch(pathOf(order), [...transitionTo('REJECTED'), reason], 204)
    // The server reports times only once no earlier change can still appear.
    await site.sql`update orders set changed_at = changed_at - interval '1 hour' where id = ${idOf(order)}`
    const { page, look } = await site.open(t, deskTokens.nurse)
    await tab(page, 'Rejected and cancelled 1').click()
    await orderLink(page, 'Not possible').click()
    await page.getByText('Out of stock').waitFor()
    await link(page, 'Order desk').click()
    await tab(page, 'Rejected and cancelled 0').waitFor()
    await tab(page, 'Rejected and cancelled 0').click()
    await orderLink(page, 'Not possible').click()
    await link(page, 'Order again').click()
    await button(page, 'Remove: Blood pressure monitor').waitFor()
    await eventually(t, () => page.getByLabel(/^Name of the receiver/).inputValue(), 'Rasmus Receiver')
    await look('an order that is ordered again')
    await button(page, 'Send the order').click()
    await page.getByText('The address or the telephone number is missing.').waitFor()
    await button(page, 'Send the order').click()
    await page.getByText('The order was sent').first().waitFor()
    await page.close()
  })

  await t.test('shows further patients', async (t) => {
    const { page, look } = await site.open(t, deskTokens.nurse, {}, '#/patients')
    await page.getByText(/^These are the patients of the latest 100 orders\./).waitFor()
    await look('patients')
    t.equal(await page.getByRole('link', { name: 'Rasmus Receiver' }).count(), 0)
    await showAll(page)
    await page.getByRole('link', { name: 'Rasmus Receiver' }).waitFor()
    await page.close()
  })

  await t.test('shows further orders of a patient', async (t) => {
    const { page } = await site.open(
      t,
      deskTokens.nurse,
      {},
      `#/patient/${encodeURIComponent(patient('many'))}`
    )
    await page.getByText('25 of 451 are shown.').waitFor()
    await showAll(page)
    await eventually(t, () => page.getByRole('link', { name: 'One of many' }).count(), 451)
    await page.close()
  })

  await t.test('shows the whole round of a day', async (t) => {
    const { page } = await site.open(t, deskTokens.provider, {}, '#/round?day=2031-03-05')
    await page.getByRole('table').waitFor()
    await eventually(t, () => page.locator('tbody tr').count(), 1, 'one stop')
    await eventually(t, () => page.getByText('Blood pressure monitor: Delivery').count(), 251)
    await page.close()
  })

  await t.test('shows further items to order', async (t) => {
    const items = Array.from({ length: 55 }, (_, at) =>
      deviceModel(w.catalogue, { name: `Scale ${at + 10}`, model: `M-${at}` })
    )
    const made = (await w.clerk.post(`${catalogue}/catalogue-items`, items)).body as { id: string }[]
    const url = (id: string) => w.monitor.replace(idOf(w.monitor), id)
    await w.clerk.post(
      `${catalogue}/white-lists`,
      made.map(({ id }) => ({ buyer: w.buyer, item: url(id) }))
    )
    const { page } = await site.open(t, deskTokens.nurse, {}, `#/new/${encodeURIComponent(patient('p1'))}`)
    await page.getByText('The first 50 are shown.').waitFor()
    t.equal(await button(page, 'Add: Scale 64').count(), 0)
    await button(page, 'Show more').click()
    await button(page, 'Add: Scale 64').waitFor()
    await page.close()
  })

  await t.test('shows the name of the patient, or of the receiver if the name is missing', async (t) => {
    const receiver = { name: 'Ditte Daughter', patientName: 'Pia Patient', patient: patient('named') }
    const { order, line } = await submit({ name: 'For Pia', receiver })
    const number = add('/device/serialNumber', 'SN-PIA')
    await w.provider.patch(pathOf(line), [...transitionTo('FULFILLED'), number], 204)
    const { page, look } = await site.open(t, deskTokens.nurse, {}, '#/patients')
    await page.getByText(/^These are the patients of the latest 100 orders\./).waitFor()
    await showAll(page)
    await page.getByRole('link', { name: 'Pia Patient', exact: true }).waitFor()
    await eventually(t, () => page.locator('tbody td:first-child').allInnerTexts(), [
      'Receiver: Mona Many',
      'Pia Patient',
      'Receiver: Rasmus Receiver'
    ])
    await page.goto(`${site.origin}/desk/#/delivery-note/${idOf(order)}`)
    await page.getByRole('definition').getByText('Pia Patient', { exact: true }).waitFor()
    await page.getByRole('definition').getByText('Ditte Daughter', { exact: true }).waitFor()
    await look('a delivery note that names the patient')
    await page.goto(`${site.origin}/desk/#/devices?q=SN-PIA`)
    await page.getByRole('columnheader', { name: 'Patient', exact: true }).waitFor()
    await page.getByRole('cell', { name: /^Pia Patient\s*Receiver: Ditte Daughter/ }).waitFor()
    await page.close()
  })
})
