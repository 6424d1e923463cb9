import type { Page } from 'playwright-core'
import t from 'tap'
import { delayRequests, eventually, skipBrowser } from '../fixtures/browser.js'
import {
  button,
  checkReported,
  deskSite,
  deskTokens,
  dialog,
  link,
  openMenu,
  orderLink
} from '../fixtures/desk.js'
import { pagesOfPdf } from '../fixtures/pdf-text.js'
import { add, agreeTime, catalogue, orders, pathOf, patient, transitionTo } from '../fixtures/world.js'

/* Forms of the order desk: the requests that they send, their confirmations, and their errors. */

t.test('the order desk', { skip: skipBrowser }, async (t) => {
  const { w, sql, open } = await deskSite(t)
  const viewOf = (order: string) => `#/order/${order.slice(-36)}`
  const read = async (url: string) => (await w.nurse.get(pathOf(url), 200)).body
  const statusOf = async (url: string) => (await read(url)).status.code
  /** Whether the browser warns before the page is closed. */
  const warns = `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`
  const inDialog = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true })

  await t.test('sends the corrected fields only, and reports a conflict', async (t) => {
    const { order } = await w.submitted()
    const { page, look } = await open(t, deskTokens.nurse, {}, viewOf(order))
    await button(page, 'Correct …').click()
    await w.nurse.patch(
      pathOf(order),
      [
        { op: 'replace', path: '/receiver/phone', value: '00 00 00 01' },
        { op: 'replace', path: '/priority', value: true }
      ],
      204
    )
    await dialog(page).getByLabel('E-mail').fill('rasmus@example.com')
    await dialog(page).getByLabel('Name of the receiver').fill('Rasmus R.')
    await inDialog(page, 'Correct').click()
    await dialog(page)
      .getByText(/^✗ Another user changed this after you opened it/)
      .waitFor()
    await dialog(page).getByText('Another user has stored: 00 00 00 01').waitFor()
    t.match(await read(order), { receiver: { email: null, phone: '00 00 00 01' } })
    await checkReported(page, 'Urgency changed')
    await look('a conflict')
    await eventually(
      t,
      () => dialog(page).getByLabel('E-mail').inputValue(),
      'rasmus@example.com',
      'what was typed stays'
    )
    await eventually(t, () => dialog(page).getByLabel('Telephone').inputValue(), '00 00 00 01')
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'PATCH'),
      inDialog(page, 'Correct').click()
    ])
    t.same(sent.postDataJSON(), [
      { op: 'replace', path: '/receiver/email', value: 'rasmus@example.com' },
      { op: 'replace', path: '/receiver/name', value: 'Rasmus R.' }
    ])
    t.ok(sent.headers()['if-match'])
    await dialog(page).waitFor({ state: 'detached' })
    t.match(await read(order), {
      priority: true,
      receiver: { email: 'rasmus@example.com', phone: '00 00 00 01' }
    })
    await page.close()
  })

  await t.test('keeps numbers and times that another user wrote meanwhile', async (t) => {
    const { order, lines } = await w.submitted(2)
    const [first = '', second = ''] = lines
    const at = (hour: number) => [
      { op: 'add', path: '/agreedFrom', value: `2031-03-05T${hour}:00:00.000Z` },
      { op: 'add', path: '/agreedTo', value: `2031-03-05T${hour + 1}:00:00.000Z` }
    ]
    const { page } = await open(t, deskTokens.provider, {}, viewOf(order))
    const fillTime = async () => {
      await dialog(page).getByLabel('Day (required)').fill('2031-03-06')
      await dialog(page).getByLabel('From (required)').fill('10:00')
      await dialog(page).getByLabel('To (required)').fill('11:00')
    }
    await page.getByLabel('Select all').check()
    await button(page, 'Agree a time …').click()
    await fillTime()
    await w.provider.patch(pathOf(second), at(14), 204)
    await inDialog(page, 'Agree a time').click()
    await dialog(page)
      .getByText(/^✗ Another user changed this/)
      .waitFor()
    t.match(await read(first), { agreedFrom: null }, 'all lines or none')
    t.match(await read(second), { agreedFrom: '2031-03-05T14:00:00.000Z' })
    await page.keyboard.press('Escape')
    await w.provider.patch(pathOf(first), transitionTo('FULFILLED'), 204)
    await page.reload()
    await page.locator('#token').fill(deskTokens.provider)
    await page.locator('#access-form button').click()
    await page.getByLabel('Select all').check()
    await page.getByText('Nothing fits all selected lines.').waitFor()
    await page.getByLabel('Select all').uncheck()
    await page
      .getByRole('checkbox', { name: /^Select Blood/ })
      .first()
      .check()
    await button(page, 'Correct the numbers …').click()
    await dialog(page).getByLabel('Serial number').fill('SN-1')
    await w.provider.patch(
      pathOf(first),
      [
        { op: 'add', path: '/device/serialNumber', value: 'SN-2' },
        { op: 'add', path: '/device/lotNumber', value: 'LOT-2' }
      ],
      204
    )
    await inDialog(page, 'Correct the numbers').click()
    await dialog(page)
      .getByText(/^✗ Another user changed this/)
      .waitFor()
    t.match(await read(first), { device: { serialNumber: 'SN-2', lotNumber: 'LOT-2' } })
    await page.close()
  })

  await t.test('shows the error of a change whose button is gone', async (t) => {
    const { order } = await w.submitted()
    const { page, look } = await open(t, deskTokens.provider, {}, viewOf(order))
    await button(page, 'Agree a time …').click()
    await dialog(page).getByLabel('Day (required)').fill('2031-03-06')
    await dialog(page).getByLabel('From (required)').fill('10:00')
    await dialog(page).getByLabel('To (required)').fill('11:00')
    await w.nurse.patch(pathOf(order), transitionTo('CANCELLED'), 204)
    await inDialog(page, 'Agree a time').click()
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByRole('alert').getByText(/^✗ /).waitFor()
    await look('a change that is impossible')
    await page.close()
  })

  await t.test('asks before irreversible actions, and names their effect', async (t) => {
    const { order, lines } = await w.submitted(2)
    const { page, look } = await open(t, deskTokens.provider, {}, viewOf(order))
    await page.locator('.menu').waitFor()
    t.notOk(await button(page, 'All is done …').isVisible(), 'away from the usual next step')
    await openMenu(page)
    await button(page, 'All is done …').click()
    await eventually(
      t,
      () => dialog(page).innerText(),
      /These lines are marked as done, and the order is closed:\s+(Blood pressure monitor: Delivery\s+){2}This cannot be undone\./
    )
    await look('the confirmation')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    t.equal(await statusOf(order), 'SUBMITTED', 'nothing happens without a confirmation')
    await openMenu(page)
    await button(page, 'Reject …').click()
    await dialog(page).getByText('The order is rejected and closed.').waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByRole('checkbox', { name: /^Select Blood/ })
      .first()
      .check()
    await button(page, 'Done …').click()
    await eventually(
      t,
      () => dialog(page).innerText(),
      /This is marked as done:\s+Blood pressure monitor: Delivery/
    )
    t.notMatch(await dialog(page).innerText(), /No other line is open/)
    await page.keyboard.press('Escape')
    await w.provider.patch(pathOf(lines[0] ?? ''), transitionTo('FULFILLED'), 204)
    await openMenu(page)
    await button(page, 'All is done …').click()
    await inDialog(page, 'All is done').click()
    await dialog(page)
      .getByText(/without (a )?numbers?\. Press “All is done” once more/)
      .waitFor()
    t.equal(await statusOf(order), 'SUBMITTED')
    await inDialog(page, 'All is done').click()
    await checkReported(page, 'The order is done')
    t.equal(await statusOf(order), 'FULFILLED')
    await page.close()

    const draft = await w.createDraft()
    await w.addLine(draft)
    const nurse = await open(t, deskTokens.nurse, {}, viewOf(draft))
    await button(nurse.page, 'Remove …').click()
    await dialog(nurse.page)
      .getByText('This is removed from the draft: Blood pressure monitor: Delivery.')
      .waitFor()
    await nurse.page.keyboard.press('Escape')
    await dialog(nurse.page).waitFor({ state: 'detached' })
    t.equal((await read(`${draft}/details`)).orderLines.length, 1)
    await openMenu(nurse.page)
    await button(nurse.page, 'Cancel the order …').click()
    await dialog(nurse.page).getByText('The draft is cancelled and will not be sent').waitFor()
    await nurse.page.keyboard.press('Escape')
    await dialog(nurse.page).waitFor({ state: 'detached' })
    t.equal(await statusOf(draft), 'DRAFT')
    await nurse.page.close()

    const last = await w.createDraft()
    await w.addLine(last, { item: w.repair, action: 'REPAIR' })
    await w.nurse.patch(pathOf(last), transitionTo('SUBMITTED'), 204)
    const provider = await open(t, deskTokens.provider, {}, viewOf(last))
    await button(provider.page, 'Done …').click()
    await eventually(
      t,
      () => dialog(provider.page).innerText(),
      /No other line is open, so the order is closed, too\./
    )
    t.equal(await statusOf(last), 'SUBMITTED', 'a service without numbers is confirmed as well')
    await provider.page.keyboard.press('Escape')

    const transport = await w.clerk.create(`${catalogue}/catalogue-item`, {
      ...{ catalogueItemType: 'Service', catalogue: w.catalogue, name: 'Transport' },
      serviceType: 'DELIVER'
    })
    await w.clerk.create(`${catalogue}/white-list`, { buyer: w.buyer, item: transport })
    const service = await w.createDraft()
    await w.addLine(service, { item: transport, action: 'DELIVER' })
    await w.nurse.patch(pathOf(service), transitionTo('SUBMITTED'), 204)
    await provider.page.goto(`${provider.page.url().split('#')[0]}${viewOf(service)}`)
    await provider.page.getByText('Transport').first().waitFor()
    await button(provider.page, 'Done …').click()
    await inDialog(provider.page, 'Done').waitFor()
    t.equal(await dialog(provider.page).getByLabel('Serial number').count(), 0, 'no device')
    await inDialog(provider.page, 'Done').click()
    await checkReported(provider.page, 'The change is saved.')
    await provider.page.close()
  })

  await t.test('moves to the next field when a scanner sends Enter', async (t) => {
    const { order, lines } = await w.submitted()
    const { page } = await open(t, deskTokens.provider, {}, viewOf(order))
    await button(page, 'Done …').click()
    const focused = async () =>
      (
        await page.evaluate<string>('document.activeElement.name || document.activeElement.textContent')
      ).split('-')[0]
    await dialog(page).getByLabel('Serial number').focus()
    for (const [number, next] of [
      ['', 'udi'],
      ['(01)05712345678909(17)310305(10)LOT-9(21)SN-9', 'lotNumber'],
      ['', 'expiryDate'],
      ['', 'performedAt'],
      ['', 'receivedBy'],
      ['', 'Done']
    ] as const) {
      await page.keyboard.type(number)
      await page.keyboard.press('Enter')
      await eventually(t, focused, next)
    }
    t.match(await read(lines[0] ?? ''), { status: { code: 'SUBMITTED' } }, 'nothing was sent')
    await page.keyboard.press('Enter')
    await checkReported(page, 'The change is saved.')
    await page.getByText('Serial no. SN-9 · Lot LOT-9', { exact: true }).waitFor()
    t.match(await read(lines[0] ?? ''), {
      device: { serialNumber: 'SN-9', lotNumber: 'LOT-9', expiryDate: '2031-03-05' }
    })
    await page.close()

    const nurse = await open(t, deskTokens.nurse, {}, `#/new/${encodeURIComponent(patient('enter'))}`)
    await button(nurse.page, 'Add: Blood pressure monitor').click()
    await nurse.page.getByLabel('Name of the receiver (required)').fill('Erik Enter')
    await nurse.page.keyboard.press('Enter')
    await eventually(t, () => nurse.page.evaluate('document.activeElement.name'), 'patientName')
    const query = new URLSearchParams({ patient: patient('enter') })
    t.same((await w.nurse.get(`${orders}/orders?${query}`, 200)).body, [], 'no order was sent')
    await nurse.page.close()
  })

  await t.test('shows errors at their fields, in words', async (t) => {
    const { order } = await w.submitted()
    const { page, look } = await open(t, deskTokens.nurse, {}, viewOf(order))
    await button(page, 'Correct …').click()
    await dialog(page).getByLabel('Deliver at the earliest').fill('2031-03-07')
    await dialog(page).getByLabel('Deliver at the latest').fill('2031-03-06')
    await inDialog(page, 'Correct').click()
    const alert = dialog(page).getByRole('alert')
    t.notMatch(await alert.innerText(), /https?:|JSON|invalid-|earliestDeliveryDate|\/\w|\d{4}-\d\d-\d\d/)
    await eventually(
      t,
      () => alert.innerText(),
      /^✗ Correct the fields:\s+Deliver at the latest: It must not be before the earliest delivery date\.$/
    )
    await look('an error of a field')
    await alert.getByRole('button').first().click()
    const focused = () => page.evaluate<string>('document.activeElement.name')
    await eventually(t, focused, /DeliveryDate$/, 'the summary leads to the field')
    const field = await focused()
    await eventually(t, () => dialog(page).locator(`[name=${field}]`).getAttribute('aria-invalid'), 'true')
    t.equal(await dialog(page).getByLabel('Deliver at the latest').inputValue(), '2031-03-06')
    await page.goto(`${page.url().split('#')[0]}#/order/00000000-0000-7000-8000-000000000000`)
    await page.getByText('✗ The order does not exist, or your organization has no access to it.').waitFor()
    await page.close()
  })

  await t.test('shows changes of other users in all tabs, and keeps typed text', async (t) => {
    const { order } = await w.submitted()
    await w.nurse.patch(pathOf(order), [add('/receiver/phone', '00 00 00 01')], 204)
    const { page } = await open(t, deskTokens.nurse, {}, viewOf(order))
    await page.getByLabel('New message (required)').waitFor()
    const poll = `document.dispatchEvent(new Event('visibilitychange'))`
    const [unchanged] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/details')),
      page.evaluate(poll)
    ])
    t.equal(unchanged.status(), 304)
    const message = page.getByLabel('New message (required)')
    await message.fill('P')
    await eventually(t, () => page.evaluate(warns), true)
    await message.fill('')
    await eventually(t, () => page.evaluate(warns), false)
    await message.fill('Please ring')
    await eventually(t, () => page.evaluate(warns), true)
    const callBy = `addEventListener('click', (event) => event.preventDefault(), { once: true });
      document.querySelector('a[href^="tel:"]').click(); ${warns}`
    t.equal(await page.evaluate(callBy), false, 'a link to another program keeps the page')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.locator('#token').fill(deskTokens.nurse)
    await other.locator('#access-form button').click()
    await button(other, 'Correct …').waitFor()
    await w.provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
    // The polling tab notifies the other tab.
    await page.evaluate(poll)
    for (const each of [page, other])
      await each.locator('.toasts').getByText('provider: The order was accepted').waitFor()
    await eventually(t, () => page.getByLabel('New message (required)').inputValue(), 'Please ring')
    await button(page, 'Send the message').click()
    for (const each of [page, other]) await each.locator('.message').getByText('Please ring').waitFor()
    await eventually(t, () => page.getByLabel('New message (required)').inputValue(), '')
    await page.context().close()
  })

  await t.test('keeps typed text until it is sent, also when the token has expired', async (t) => {
    const view = `#/new/${encodeURIComponent(patient('typed'))}`
    const { page, look } = await open(t, deskTokens.nurse, {}, view)
    const name = page.getByLabel('Name of the receiver (required)')
    await button(page, 'Add: Blood pressure monitor').click()
    await name.fill('Tove Typed')
    await page.getByLabel('The order is urgent').check()
    for (const [label, text, better, doubt] of [
      ['Postal code', '80', '8000', 'Danish postal codes have 4 digits.'],
      ['Telephone', '86 12', '86 12 14 30', 'Telephone numbers usually have 8 digits.'],
      ['E-mail', 'tove@', 'tove@example.com', 'E-mail addresses look like name@example.com.']
    ] as const) {
      await page.getByLabel(label).fill(text)
      t.equal(await page.getByText(doubt).count(), 0, 'not before the field is left')
      await name.focus()
      await page.getByText(doubt).waitFor()
      await page.getByLabel(label).fill(better)
      await page.getByText(doubt).waitFor({ state: 'detached' })
    }
    await link(page, 'Patients').click()
    await page.getByText('Another patient').waitFor()
    await page.goBack()
    await eventually(t, () => name.inputValue(), 'Tove Typed')
    await eventually(t, () => page.evaluate(warns), true, 'the browser warns before the page is closed')
    const expire = async (token: string) => {
      const me = '**/ssl-order/v1/order-lines?**'
      await page.route(me, (route) => route.fulfill({ status: 401, body: '' }))
      await page.goto(`${page.url().split('#')[0]}#/devices?q=1`)
      await page.getByText('✗ The server does not accept the access key.').waitFor()
      await page.unroute(me)
      await page.locator('#token').fill(token)
      await Promise.all([
        // For another user the view has no search, so the page only asks who the user is.
        page.waitForResponse((response) => response.ok() && /\/(me|order-lines)\?/.test(response.url())),
        page.locator('#access-form button').click()
      ])
      await page.goto(`${page.url().split('#')[0]}${view}`)
    }
    await expire(deskTokens.nurse)
    await eventually(t, () => name.inputValue(), 'Tove Typed')
    await eventually(t, () => page.getByLabel('The order is urgent').isChecked(), true)
    await look('what was typed')
    await expire(deskTokens.provider)
    await expire(deskTokens.nurse)
    await page.getByText('Add something first, from one provider.').waitFor()
    await eventually(t, () => page.evaluate(warns), false)
    await button(page, 'Add: Blood pressure monitor').click()
    await name.fill('Tove Typed')
    await eventually(t, () => page.evaluate(warns), true)
    await button(page, 'Remove: Blood pressure monitor').click()
    await eventually(t, () => page.evaluate(warns), false, 'the fields are hidden')
    await page.close()
  })

  await t.test('shows a dialog with its typed content again once the access is renewed', async (t) => {
    const { order } = await w.submitted()
    const { page, look } = await open(t, deskTokens.nurse, {}, viewOf(order))
    await button(page, 'Correct …').click()
    await dialog(page).getByLabel('E-mail').fill('rasmus@example.com')
    const change = '**/ssl-order/v1/order/*'
    await page.route(change, (route) => route.fulfill({ status: 401, body: '' }))
    await inDialog(page, 'Correct').click()
    await dialog(page).getByRole('alert').waitFor()
    await page.unroute(change)
    await inDialog(page, 'Correct').click()
    await inDialog(page, 'Go to “Access”').click()
    await eventually(t, () => page.evaluate('document.activeElement.id'), 'token')
    await look('access without the dialog')
    await button(page, 'Correct …').click()
    await eventually(t, () => dialog(page).getByLabel('E-mail').inputValue(), 'rasmus@example.com')
    await inDialog(page, 'Go to “Access”').click()
    await page.locator('#token').fill(deskTokens.nurse)
    await page.locator('#access-form button').click()
    await inDialog(page, 'Correct').click()
    await dialog(page).waitFor({ state: 'detached' })
    t.match(await read(order), { receiver: { email: 'rasmus@example.com' } })

    await openMenu(page)
    await button(page, 'Cancel the order …').click()
    await dialog(page).getByLabel('Reason (required)').selectOption({ index: 1 })
    await dialog(page).getByLabel('Details').fill('Typed reason')
    await page.route(change, (route) => route.fulfill({ status: 401, body: '' }))
    await inDialog(page, 'Cancel the order').click()
    await dialog(page).getByRole('alert').waitFor()
    await page.unroute(change)
    await inDialog(page, 'Cancel the order').click()
    await inDialog(page, 'Go to “Access”').click()
    await page.locator('#token').fill(deskTokens.nurse)
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await eventually(t, () => dialog(page).getByLabel('Details').inputValue(), 'Typed reason')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    t.equal(await statusOf(order), 'SUBMITTED')
    await page.close()
  })

  await t.test('creates an order once, also when the view is left while it is sent', async (t) => {
    const view = `#/new/${encodeURIComponent(patient('once'))}`
    const { page } = await open(t, deskTokens.nurse, {}, view)
    await button(page, 'Add: Blood pressure monitor').click()
    await page.getByLabel('Name of the receiver (required)').fill('Otto Once')
    const sendDelayed = await delayRequests(page, '**/ssl-order/v1/order/*')
    const keyOfCreation = async () => {
      await button(page, 'Send the order').click()
      await page.getByText('The address or the telephone number is missing.').waitFor()
      const [sent] = await Promise.all([
        page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/order')),
        page.waitForRequest((request) => request.method() === 'PATCH'),
        button(page, 'Send the order').click()
      ])
      return sent.headers()['idempotency-key']
    }
    const key = await keyOfCreation()
    await link(page, 'Patients').click()
    await page.getByText('Another patient').waitFor()
    await page.goBack()
    t.ok(key)
    t.equal(await keyOfCreation(), key, 'the same order')
    sendDelayed()
    const query = new URLSearchParams({ patient: patient('once') })
    t.equal((await w.nurse.get(`${orders}/orders?${query}`, 200)).body.length, 1)
    await page.close()
  })

  await t.test('orders for a device at home, and reports that it is out of use', async (t) => {
    const receiver = { name: 'Dora Device', patient: patient('device') }
    const order = await w.createDraft({ receiver })
    const [line, second] = [await w.addLine(order), await w.addLine(order)]
    const nurse = await open(t, deskTokens.nurse, {}, viewOf(order))
    await button(nurse.page, 'Send the order …').click()
    await dialog(nurse.page).getByText('The address or the telephone number is missing.').waitFor()
    await inDialog(nurse.page, 'Send the order').click()
    await checkReported(nurse.page, 'The order was sent')
    await sql`update orders set submitted_at = now() - interval '1 day' where id = ${order.slice(-36)}`

    const provider = await open(t, deskTokens.provider, {}, viewOf(order))
    await provider.page.getByLabel('Select all').check()
    await button(provider.page, 'Done …').click()
    const performedAt = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16)
    await dialog(provider.page).getByLabel('Done at, if not now').fill(performedAt)
    await dialog(provider.page).getByLabel('Received by').fill('The daughter')
    for (const at of [0, 1]) await dialog(provider.page).getByLabel('Serial number').nth(at).fill(`SN-D${at}`)
    await inDialog(provider.page, 'Done').click()
    await checkReported(provider.page, 'The change is saved.')
    const instant = await provider.page.evaluate(`new Date('${performedAt}').toISOString()`)
    const done = { performedAt: instant, receivedBy: 'The daughter' }
    for (const each of [line, second]) t.match(await read(each), done)
    await eventually(t, () => provider.page.getByRole('cell', { name: /Done .*\d\d:\d\d$/ }).count(), 2)

    const home = `#/patient/${encodeURIComponent(receiver.patient)}`
    const atDevice = async () => {
      await nurse.page.goto(`${nurse.page.url().split('#')[0]}${home}`)
      await nurse.page.getByRole('row', { name: /SN-D0/ }).getByText('Pick up, replace or repair …').click()
    }
    await atDevice()
    await link(nurse.page, 'Another service').waitFor()
    await eventually(t, () => dialog(nurse.page).getByRole('link').allInnerTexts(), [
      ...['Pickup: Blood pressure monitor', 'Replacement: Blood pressure monitor'],
      ...['Repair: Repair of the blood pressure monitor', 'Another service']
    ])
    await link(nurse.page, 'Repair: Repair of the blood pressure monitor').click()
    for (const again of [1, 2]) {
      await button(nurse.page, 'Send the order').click()
      if (again === 1) await nurse.page.getByText('The address or the telephone number is missing.').waitFor()
    }
    await button(nurse.page, 'Correct …').waitFor()
    await atDevice()
    await dialog(nurse.page)
      .getByText('Already ordered: Repair of the blood pressure monitor: Repair')
      .waitFor()
    await nurse.look('the orders for a device')
    await nurse.page.keyboard.press('Escape')
    await nurse.page.getByRole('row', { name: /SN-D1/ }).getByText('Out of use …').click()
    await inDialog(nurse.page, 'Out of use').waitFor()
    t.notMatch(await dialog(nurse.page).innerText(), /mistake/, 'only the provider reports a mistake')
    await dialog(nurse.page).getByLabel('Reason').selectOption('LOST')
    await inDialog(nurse.page, 'Out of use').click()
    await nurse.page.getByRole('row', { name: /SN-D1/ }).waitFor({ state: 'detached' })
    t.match(await read(second), { device: { endReason: { code: 'LOST' } } })

    await provider.page.getByLabel('Select Blood pressure monitor: Delivery').first().check()
    await button(provider.page, 'Out of use …').click()
    await provider.look('the end of the use of a device')
    await dialog(provider.page).getByLabel('Reason').selectOption('ENTERED_IN_ERROR')
    await inDialog(provider.page, 'Out of use').click()
    await dialog(provider.page).waitFor({ state: 'detached' })
    t.match(await read(line), { device: { endReason: { code: 'ENTERED_IN_ERROR' } } })
    for (const { page } of [nurse, provider]) await page.close()
  })

  await t.test('marks a reason as required', async (t) => {
    const { order, lines } = await w.submitted()
    const { page } = await open(t, deskTokens.provider, {}, viewOf(order))
    const note = page.getByLabel('New message (required)')
    await note.fill('  ')
    await button(page, 'Send the message').click()
    await eventually(
      t,
      () => note.evaluate((each) => (each as unknown as { validationMessage: string }).validationMessage),
      'Enter a text, not only spaces.'
    )
    for (const name of ['Reject', 'Cannot be done']) {
      if (name === 'Reject') await openMenu(page)
      await button(page, `${name} …`).click()
      const reason = dialog(page).getByLabel('Reason (required)')
      await inDialog(page, name).click()
      await reason.and(page.locator(':focus')).waitFor()
      t.equal(await dialog(page).getByRole('alert').count(), 0, 'nothing was sent')
      await page.keyboard.press('Escape')
    }
    t.equal(await statusOf(order), 'SUBMITTED')
    t.equal(await statusOf(lines[0] ?? ''), 'SUBMITTED')
    await page.close()
  })

  for (const colorScheme of ['light', 'dark'] as const)
    await t.test(`shows errors in red and with a sign, ${colorScheme}`, async (t) => {
      const { order } = await w.submitted()
      const { page, look } = await open(t, deskTokens.provider, { colorScheme }, viewOf(order))
      await button(page, 'Accept').waitFor()
      await w.provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
      await button(page, 'Accept').click()
      const alert = page.getByRole('alert')
      await eventually(t, () => alert.innerText(), /^✗ /)
      for (const part of [alert, alert.locator('p').first()]) {
        const color = await part.evaluate(
          (each) =>
            (globalThis as unknown as { getComputedStyle(e: unknown): { color: string } }).getComputedStyle(
              each
            ).color
        )
        const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number)
        t.ok(red > 1.5 * green && red > 1.5 * blue, color)
      }
      await look('an error')
      await page.close()
    })

  await t.test('prints delivery notes and rounds with all columns on each page', async (t) => {
    const wish = { latestDeliveryDate: '2031-04-06', identifiers: [{ system: 'urn:x', value: 'AAK-1143' }] }
    const order = await w.createDraft(wish)
    const lines = await Promise.all(Array.from({ length: 40 }, () => w.addLine(order)))
    await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
    const [line = '', ...others] = lines
    const at = agreeTime('2031-04-05T08:00:00Z', '2031-04-05T09:00:00Z')
    for (const each of [line, ...others.slice(0, 2)]) await w.provider.patch(pathOf(each), at, 204)
    const { page } = await open(t, deskTokens.provider, {}, '#/round?day=2031-04-05')
    await orderLink(page, 'AAK-1143').waitFor()
    const print = async (format: string) => pagesOfPdf(await page.pdf({ format, preferCSSPageSize: false }))
    const [round = '', ...rest] = await print('A4')
    t.same(rest, [], 'one stop is on one page')
    t.match(round, /^1\/1Roundoftheday,5Apr2031Agreedtime.*10:00–11:00RasmusReceiver.*AAK-1143/)
    t.equal(round.split('Bloodpressuremonitor:Delivery').length - 1, 3, 'with each of its lines')
    t.notMatch(round, /Dansk|Print/)

    const udi = '(01)05712345678909(17)310305(10)LOT-1234567890(21)SN-12345678901234567'
    await w.provider.patch(pathOf(line), [...transitionTo('FULFILLED'), add('/device/udi', udi)], 204)
    const longUdi = `(01)05712345678901(240)${'UDI-ONLY-'.repeat(10)}`
    const [onlyUdi = '', returned = ''] = others
    await w.provider.patch(pathOf(onlyUdi), [...transitionTo('FULFILLED'), add('/device/udi', longUdi)], 204)
    await w.provider.patch(pathOf(returned), transitionTo('UNFULFILLED'), 204)
    await orderLink(page, 'AAK-1143').click()
    await link(page, 'Delivery note').click()
    await page.getByText('Received (date, signature):').waitFor()
    const head = /Deliverynote·AAK-1143·\w{4}-\w{4}·Receiver:RasmusReceiver.*serviceActionNumbersAgreedtime/
    for (const format of ['A4', 'A5']) {
      const pages = await print(format)
      t.ok(pages.length > 1)
      for (const [at, text] of pages.entries()) {
        t.match(text, `${at + 1}/${pages.length}`)
        if (text.includes('Bloodpressure')) t.match(text, head)
      }
      const whole = pages.join('')
      t.match(whole, /Wisheddelivery6Apr2031atthelatest/)
      t.match(whole, /5Apr2031,10:00–11:00/)
      t.match(whole, /Serialnumber:SN-12345678901234567Lotnumber:LOT-1234567890Expirydate:5Mar2031/)
      t.ok(whole.includes(`UDI:${longUdi}`), 'a long number wraps')
      t.equal(whole.split('Bloodpressuremonitor').length - 1, 39, 'without the line that could not be done')
      t.match(whole, /Received\(date,signature\):/)
    }
    await page.close()
  })
})
