import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { eventually, skipBrowser } from '../fixtures/browser.js'
import { button, deskSite, deskTokens, dialog, link, tab } from '../fixtures/desk.js'
import { validWorkbook } from '../fixtures/excel/catalogue-rows.js'
import { personAt } from '../fixtures/excel/upload-page.js'
import { catalogue, orders, organization, party, pathOf, terms } from '../fixtures/world.js'

/* The views of clerks on the order desk: white lists, contracts, parties and catalogues. */

const clerkOf = (name: string) =>
  unsignedToken({ userType: 'AdministrativeClerk', organization: organization(name), name: 'Klara Clerk' })
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }
const narrow = { viewport: { width: 320, height: 700 } }

t.test('the order desk of a clerk', { skip: skipBrowser }, async (t) => {
  const site = await deskSite(t)
  const { w, open } = site
  const clerk = clerkOf('region')
  const toggle = (page: Page, item: string) =>
    page.getByRole('switch', { name: `May be ordered: ${item}`, exact: true })
  const until = (page: Page, item: string, isOn: boolean) =>
    page.locator(`[role=switch][aria-checked=${isOn}][aria-label="May be ordered: ${item}"]`).waitFor()
  const entries = async (): Promise<{ id: string; item: string }[]> =>
    (await w.clerk.get(`${catalogue}/white-lists?buyer=${w.buyer}`)).body
  /** No alert shows text that only programs read. */
  const plain = async (t: Test, page: Page) =>
    t.notMatch((await page.getByRole('alert').allInnerTexts()).join('\n'), /https?:|\/\w+\/|[a-z]-[a-z]+-|\{/)
  const monitor = 'Blood pressure monitor'
  const repair = 'Repair of the blood pressure monitor'

  await t.test('changes the white list, and undoes the change', async (t) => {
    const { page, look } = await open(t, clerk)
    await page.getByText('region has 2 items on the white list.').waitFor()
    await eventually(t, () => page.title(), /^What may be ordered · region – /)
    await look('what may be ordered')
    await toggle(page, monitor).click()
    await page.getByText(`✓ region may no longer order ${monitor}.`).waitFor()
    await until(page, monitor, false)
    t.same((await entries()).length, 1)
    await look('a toast')
    await button(page, 'Undo').click()
    await until(page, monitor, true)
    await page.getByText(`✓ region may now order ${monitor}.`).waitFor()
    t.same((await entries()).length, 2)

    await page.getByLabel('Select all').check()
    await button(page, 'Do not allow (2)').click()
    await page.getByText('region has 0 items on the white list.').waitFor()
    t.same(await entries(), [])
    await page.getByLabel('Select all').check()
    await button(page, 'Allow (2)').click()
    await page.getByText('✓ region may now order 2 items.').waitFor()
    t.same((await entries()).length, 2)
    await link(page, 'Contracts').click()
    await button(page, 'Undo').first().waitFor({ state: 'detached' })
    await page.close()
  })

  await t.test('shows an error at its row, and the stored value', async (t) => {
    const { page } = await open(t, clerk, phone)
    await until(page, repair, true)
    const entry = (await entries()).find(({ item }) => item === w.repair)
    await w.clerk.delete(`${catalogue}/white-list/${entry?.id}`, 204)
    await toggle(page, repair).click()
    await page.getByRole('row', { name: repair }).getByRole('alert').getByText('✗').waitFor()
    await until(page, repair, false)
    await page.getByText('region has 1 item on the white list.').waitFor()
    await plain(t, page)
    await page.close()

    const { page: other, look } = await open(t, clerk, phone)
    await until(other, repair, false)
    await w.clerk.create(`${catalogue}/white-list`, { buyer: w.buyer, item: w.repair })
    await other.getByLabel(`Select ${repair}`).check()
    await button(other, 'Allow (1)').click()
    await other.getByRole('row', { name: repair }).getByRole('alert').getByText('✗').waitFor()
    await until(other, repair, true)
    await plain(t, other)
    await look('an error')
    await other.close()
  })

  await t.test('searches items, page by page', async (t) => {
    const items = Array.from({ length: 26 }, (_, at) => ({
      ...{ catalogueItemType: 'DeviceModel', catalogue: w.catalogue, name: `Scale ${at + 10}` },
      ...{ manufacturer: 'A&D', model: `M-${at}` }
    }))
    await w.clerk.post(`${catalogue}/catalogue-items`, items)
    const { page } = await open(t, clerk, narrow)
    await page.getByText('1–25', { exact: true }).waitFor()
    await link(page, 'Next').click()
    await page.getByText('26–28 of 28').waitFor()
    await page.getByLabel('Name, manufacturer, model or number').fill('scale 35')
    await button(page, 'Search').click()
    await page.getByText('1–1 of 1').waitFor()
    await toggle(page, 'Scale 35').click()
    await page.getByText('region has 3 items on the white list.').waitFor()
    await page.getByRole('searchbox').fill('nothing')
    await button(page, 'Search').click()
    await page.getByText('No item matches “nothing”.').waitFor()
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'it fits 320 pixels')
    await page.close()
  })

  await t.test('creates, corrects and ends contracts', async (t) => {
    const { page, look } = await open(t, clerk, {}, '#/contracts')
    await tab(page, 'In force 1').waitFor()
    await eventually(t, () => page.title(), /^In force \(1\) – Contracts – /)
    await look('contracts')
    const rows = await page.getByRole('row').count()
    await link(page, 'Parties').click()
    await page.getByText('1–3 of 3').waitFor()
    await page.goto(`${page.url().split('#')[0]}#/contracts?page=9`)
    await tab(page, 'In force 1').waitFor()
    await eventually(
      t,
      () => page.getByRole('row').count(),
      rows,
      'the last page of a list that became shorter'
    )
    await tab(page, 'Ended 0').click()
    await page.getByText('No contract has ended.').waitFor()
    await eventually(t, () => page.title(), /^Ended \(0\) – /)
    await page.locator('.empty').getByRole('link', { name: 'New contract' }).click()
    await page.getByLabel(/^Name/).fill('Scales')
    await page.getByLabel(/^Provider/).selectOption('other-provider')
    await page.getByLabel(/^Paid by/).selectOption('accounting')
    await page.getByLabel(/^First day/).fill('2031-02-01')
    await page.getByLabel(/^Last day/).fill('2031-01-31')
    await look('a new contract')
    await button(page, 'Create the contract').click()
    await page.getByRole('alert').getByText('✗').first().waitFor()
    await plain(t, page)
    await look('an error of a contract')
    await page.getByLabel(/^Last day/).fill('2032-01-31')
    await button(page, 'Create the contract').click()
    await tab(page, 'Not begun 1').click()
    await link(page, 'Scales').click()

    const name = page.getByLabel(/^Name/)
    await eventually(t, () => page.getByRole('heading', { level: 1 }).innerText(), 'Scales')
    await eventually(
      t,
      () => page.evaluate('document.activeElement.textContent'),
      'Scales',
      'the focus is there'
    )
    await name.fill('Scales and service')
    await page.getByLabel(/^Provider/).selectOption('provider')
    await page.getByLabel(/^Provider/).selectOption('other-provider')
    const [stored] = (await w.clerk.get(`${orders}/contracts?seller=${w.otherSeller}`)).body
    const { validityPeriod } = stored
    const body = { ...terms(w.seller, w.account, w.buyer), validityPeriod }
    await w.clerk.put(`${orders}/contract/${stored.id}`, { ...body, name: 'Of another clerk' }, 204)
    await button(page, 'Save').click()
    await page.getByText(/^✗ Another user changed this/).waitFor()
    await page.getByText('Another user has stored: Of another clerk').waitFor()
    await page.getByText('Another user has stored: provider').waitFor()
    t.equal(await page.getByLabel(/^Provider/).inputValue(), w.otherSeller, 'what was chosen stays')
    t.equal(await name.inputValue(), 'Scales and service', 'what was typed stays')
    await look('a conflict')
    await button(page, 'Save').click()
    await page.getByText('✓ The change is saved.').waitFor()
    await tab(page, 'Not begun 1').click()
    await link(page, 'Scales and service').click()
    await button(page, 'Save').waitFor()
    t.equal(await button(page, 'End the contract …').count(), 0, 'it has not begun')
    const begun = { start: '2020-01-01', end: '2032-01-31' }
    const now = { ...body, name: 'Scales and service', validityPeriod: begun }
    await w.clerk.put(`${orders}/contract/${stored.id}`, now, 204)
    await link(page, '‹ Contracts').click()
    await link(page, 'Scales and service').click()
    await button(page, 'End the contract …').click()
    await dialog(page)
      .getByLabel(/^Last day/)
      .fill('2031-03-01')
    await look('ending a contract')
    await dialog(page).getByRole('button', { name: 'End the contract', exact: true }).click()
    await page.getByText(/^✓ The contract ends on 1 Mar 2031\.$/).waitFor()
    t.match((await w.clerk.get(`${orders}/contract/${stored.id}`)).body, {
      ...{ name: 'Scales and service', validityPeriod: { start: [2020, 1, 1], end: [2031, 3, 1] } }
    })

    const year = new Date().getFullYear()
    const thisYear = { start: `${year}-01-01`, end: `${year}-12-31` }
    await w.clerk.put(`${orders}/contract/${stored.id}`, { ...now, validityPeriod: thisYear }, 204)
    await link(page, 'Parties').click()
    await link(page, 'Contracts').click()
    await page.getByRole('cell', { name: `1 Jan ${year} – 31 Dec ${year}` }).waitFor()
    await page.close()
  })

  await t.test('corrects the contact data of parties', async (t) => {
    const { page, look } = await open(t, clerk, phone, '#/parties')
    await page.getByText('1–3 of 3').waitFor()
    await look('parties')
    await link(page, 'provider').click()
    await page.getByRole('heading', { name: 'provider', exact: true }).waitFor()
    await page.getByLabel('E-mail').fill('orders@provider.example')
    await look('a party')
    await button(page, 'Save').click()
    await page.getByText('orders@provider.example').waitFor()
    t.match((await w.clerk.get(pathOf(w.seller))).body, { email: 'orders@provider.example' })
    await page.close()
  })

  await t.test('checks a catalogue, or says why there is no catalogue', async (t) => {
    const { page, look } = await open(t, clerk, {}, '#/catalogues')
    await page.getByText('Catalogues that you can change: 1.').waitFor()
    await eventually(t, () => page.title(), /^Catalogues – /)
    const person = personAt(page, [])
    await person.choose(await validWorkbook('Sent by a clerk'))
    t.match(await (await person.take('check')).innerText(), /✓ No faults/)
    await look('a checked workbook')
    await link(page, 'Contracts').click()
    await tab(page, 'Ended 0').waitFor()
    await link(page, 'Catalogues').click()
    await page.getByText(/^Chosen: “catalogue\.xlsx”/).waitFor()
    await page.getByText('The workbook has no faults and can be imported.').waitFor()
    await page.close()

    await site
      .as('AdministrativeClerk', organization('town'))
      .create(`${orders}/party`, party('town', 'BUYER'))
    const other = await open(t, clerkOf('town'), phone, '#/catalogues')
    await other.page.getByText(/^Your organization administers no provider/).waitFor()
    t.equal(await other.page.getByRole('button', { name: 'Check the workbook' }).count(), 0)
    await other.look('no catalogues')
    await link(other.page, 'What may be ordered').last().click()
    await other.page.getByText('town has no contract in force, and so no catalogue to choose from.').waitFor()
    await other.look('nothing may be ordered')
    await other.page.close()
    const nurse = await open(t, deskTokens.nurse, {}, '#/catalogues')
    await nurse.page.getByText('There is no such view.').waitFor()
    await nurse.page.getByRole('main').getByRole('link', { name: 'Orders', exact: true }).click()
    await nurse.page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
    await nurse.page.close()
    const lost = await open(t, clerk, {}, '#/nowhere')
    await lost.page.getByText('There is no such view.').waitFor()
    await lost.page.getByRole('main').getByRole('link', { name: 'What may be ordered' }).click()
    await lost.page.getByRole('heading', { name: 'What may be ordered' }).waitFor()
    await lost.page.close()
  })

  await t.test('shows no view of a resource without an id', async (t) => {
    for (const [token, view] of [
      [clerk, '#/party'],
      [clerk, '#/contract/..'],
      [deskTokens.nurse, '#/order'],
      [deskTokens.nurse, '#/delivery-note']
    ] as const) {
      const { page } = await open(t, token, {}, view)
      await page.getByText('There is no such view.').waitFor()
      await page.close()
    }
  })

  await t.test('creates a contract once although its response was lost', async (t) => {
    const { page } = await open(t, clerk, {}, '#/contract/new')
    await page.getByLabel(/^Name/).fill('Lost')
    await page.getByLabel(/^Provider/).selectOption('provider')
    await page.getByLabel(/^Paid by/).selectOption('accounting')
    await page.getByLabel(/^First day/).fill('2020-01-01')
    await page.getByLabel(/^Last day/).fill('2020-12-31')
    const creation = '**/ssl-order/v1/contract/'
    await page.route(creation, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await button(page, 'Create the contract').click()
    await page.getByText(/^✗ The server did not respond/).waitFor()
    await page.unroute(creation)
    await button(page, 'Create the contract').click()
    await tab(page, 'Ended 1').click()
    await link(page, 'Lost').click()
    await button(page, 'Save').waitFor()
    t.equal(await button(page, 'End the contract …').count(), 0, 'it has ended')
    await page.close()
  })

  await t.test(
    'hides the switches of the previous buyer if the lists of the next buyer fail to load',
    async (t) => {
      const second = await w.clerk.create(`${orders}/party`, {
        ...party('second', 'BUYER'),
        organization: organization('region')
      })
      const { page } = await open(t, clerk)
      await page.getByLabel('Buyer').selectOption('region')
      await until(page, monitor, true)
      await page.route('**/white-lists?**', (route) => route.abort())
      await page.getByLabel('Buyer').selectOption('second')
      await page.getByText(/^✗ The server did not respond/).waitFor()
      await eventually(t, () => page.getByRole('switch').count(), 0)
      await page.unroute('**/white-lists?**')
      await page.goto(`${site.origin}/desk/#/?buyer=${second.slice(-36)}&q=scale`)
      await page.getByText('second has no contract in force, and so no catalogue to choose from.').waitFor()
      await link(page, 'Show all').click()
      await page.getByText('second has 0 items on the white list.').waitFor()
      t.match(page.url(), second.slice(-36), 'the buyer stays')
      await page.close()
    }
  )
})

t.test('the contracts of a clerk who administers all parties', { skip: skipBrowser }, async (t) => {
  const { open } = await deskSite(t, { CLERK_SCOPE: 'any' })
  const { page } = await open(t, clerkOf('town'), {}, '#/contracts')
  await tab(page, 'In force 1').waitFor()
  await page.close()
})
