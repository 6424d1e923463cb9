import t from 'tap'
import { eventually, skipBrowser } from '../fixtures/browser.js'
import {
  button,
  checkReported,
  deskSite,
  deskTokens,
  dialog,
  link,
  openMenu,
  orderLink,
  tab
} from '../fixtures/desk.js'
import { catalogue, deviceModel, orders, pathOf, patient, transitionTo } from '../fixtures/world.js'

const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const

t.test('the order desk', { skip: skipBrowser }, async (t) => {
  const { w, origin, open } = await deskSite(t)

  await t.test('processes an order on both sides', async (t) => {
    await w.clerk.create(
      `${catalogue}/catalogue-item`,
      deviceModel(w.catalogue, { name: 'Monitor for the wrist', model: 'UB-525' })
    )
    const nurse = await open(t, deskTokens.nurse)
    await link(nurse.page, 'New order').first().click()
    await nurse.page.getByText('Another patient').waitFor()
    await nurse.look('patients')
    const patientField = nurse.page.getByLabel(/^Patient \(/)
    for (const [text, reason] of [
      ['Skovvej 12', /^Enter the id/],
      ['010190-1234', /CPR number/],
      ['https://clinical.example/Patient?id=0101901234', /CPR number/],
      ['4711471147', /^$/],
      ['asta', /^$/]
    ] as const) {
      await patientField.fill(text)
      await eventually(
        t,
        () => patientField.evaluate((each) => (each as unknown as Record<string, string>).validationMessage),
        reason
      )
    }
    await button(nurse.page, 'Open').click()
    await nurse.page.getByText('No devices.').waitFor()
    await nurse.look('a patient without orders')
    await link(nurse.page, 'Order for this patient').click()

    await nurse.page.getByLabel('Device or service').fill('monitor')
    await button(nurse.page, 'Search').click()
    await nurse.page.getByLabel('Also show what cannot be ordered').check()
    await nurse.page.getByText('✗ The item is not on the buyer’s white list.').waitFor()
    await button(nurse.page, 'Add: Blood pressure monitor').click()
    await button(nurse.page, 'Add: Repair of the blood pressure monitor').click()
    await button(nurse.page, 'Remove: Repair of the blood pressure monitor').waitFor()
    await nurse.look('a new order')
    await nurse.page.getByLabel('Name of the receiver (required)').fill('Asta Opdigtet')
    await nurse.page.getByLabel('Address', { exact: true }).fill('Eksempelvej 1')
    await nurse.page.getByLabel('Message to the provider').fill('Please ring at the neighbour’s.')
    await button(nurse.page, 'Send the order').click()
    await nurse.page.getByText('The address or the telephone number is missing.').waitFor()
    await button(nurse.page, 'Send the order').click()
    await checkReported(nurse.page, 'The order was sent')
    await nurse.look('an order')
    await button(nurse.page, 'Correct …').click()
    await nurse.look('the correction of an order')
    await dialog(nurse.page).getByLabel('Telephone').fill('00 00 00 01')
    await button(nurse.page, 'Correct').click()
    await nurse.page.getByText('Receiver changed').waitFor()

    for (const more of [
      { name: 'Monitor for Bent', priority: true, latestDeliveryDate: '2031-03-04' },
      { name: 'Monitor for Clara', latestDeliveryDate: '2031-03-06' }
    ]) {
      const other = await w.createDraft(more)
      await w.addLine(other)
      await w.nurse.patch(pathOf(other), transitionTo('SUBMITTED'), 204)
    }
    const provider = await open(t, deskTokens.provider)
    await tab(provider.page, 'New 3').waitFor()
    await provider.look('the inbox')
    await orderLink(provider.page, 'Blood pressure monitor').click()
    await button(provider.page, 'Accept').click()
    await checkReported(provider.page, 'The order was accepted')
    await provider.page.getByLabel('Select all').check()
    await button(provider.page, 'Agree a time …').click()
    await provider.look('a time to agree')
    await dialog(provider.page).getByLabel('Day (required)').fill('2031-03-05')
    await dialog(provider.page).getByLabel('From (required)').fill('10:00')
    await dialog(provider.page).getByLabel('To (required)').fill('12:00')
    await dialog(provider.page).getByRole('button', { name: 'Agree a time' }).click()
    await provider.page.getByText('Delivery time agreed (2)').waitFor()
    await eventually(t, () => provider.page.getByRole('cell', { name: /5 Mar 2031, 10:00–12:00/ }).count(), 2)
    await provider.page.getByLabel('Select Blood pressure monitor: Delivery').check()
    await button(provider.page, 'Done …').click()
    await dialog(provider.page).getByLabel('Serial number').fill('SN-4711')
    await provider.look('the numbers of a device')
    await dialog(provider.page).getByRole('button', { name: 'Done' }).click()
    await checkReported(provider.page, 'The change is saved.')
    await provider.page.getByText('SN-4711').waitFor()
    await provider.look('a delivered line')

    await link(provider.page, 'Round of the day').click()
    await provider.page.getByLabel('Day').fill('2031-03-05')
    await provider.page.getByText('Repair of the blood pressure monitor: Repair').waitFor()
    await provider.look('the round of a day')
    await link(provider.page, 'Find a device').click()
    await provider.page.getByLabel('Serial, UDI or lot number').fill('SN-4711')
    await button(provider.page, 'Search').click()
    await provider.page.getByRole('cell', { name: /^Serial no\. SN-4711/ }).waitFor()
    await provider.look('a device that was found')
    await orderLink(provider.page, 'Blood pressure monitor').click()

    await link(nurse.page, 'Show the patient').click()
    await nurse.page.getByRole('cell', { name: 'SN-4711' }).waitFor()
    await nurse.look('the devices at home')
    await orderLink(nurse.page, 'Blood pressure monitor').click()
    await nurse.page.getByLabel('New message (required)').fill('When does the repair begin?')
    await nurse.page.getByLabel('I need an answer').check()
    await button(nurse.page, 'Send the message').click()
    await nurse.page.getByText('The order awaits an answer from provider.').waitFor()

    await link(provider.page, 'Order desk').click()
    await tab(provider.page, 'Need your answer 1').click()
    await orderLink(provider.page, 'Blood pressure monitor').click()
    await provider.page.getByText('region asks:').waitFor()
    await provider.look('a question')
    await link(provider.page, 'Orders 1').waitFor()
    // A hidden page does not poll.
    await provider.page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    await provider.page.getByLabel('Answer (required)').fill('Tomorrow.')
    await button(provider.page, 'Send the answer').click()
    await provider.page.getByText('Tomorrow.').waitFor()
    await link(provider.page, 'Orders').waitFor()
    await link(provider.page, 'Delivery note').click()
    await provider.page.getByText('Received (date, signature):').waitFor()
    const title = await provider.page
      .getByText(/^Blood pressure monitor · [0-9A-Z]{4}-[0-9A-Z]{4}$/)
      .innerText()
    await provider.look('a delivery note')

    await link(nurse.page, 'Order desk').click()
    await tab(nurse.page, 'In progress 1').click()
    await nurse.page.getByRole('searchbox').fill(title.slice(-9).toLowerCase().replace('-', ''))
    await button(nurse.page, 'Search').click()
    await nurse.page.getByText('1–1 of 1').waitFor()
    await link(nurse.page, title).click()
    await nurse.page.getByText('Tomorrow.').waitFor()
    for (const { page } of [nurse, provider]) await page.close()
  })

  await t.test(
    'shows the reason of a rejected order on a phone, in dark colours and in Danish',
    async (t) => {
      const { order } = await w.submitted()
      const provider = await open(t, deskTokens.provider, { ...phone, locale: 'da-DK' })
      await tab(provider.page, 'Nye 3').waitFor()
      await provider.look('the inbox')
      await provider.page.goto(`${origin}/desk/#/order/${order.slice(-36)}`)
      await provider.page.reload()
      await eventually(
        t,
        () => provider.page.locator('#access-state').innerText(),
        /adgangsnøgle/,
        'no token is kept'
      )
      await provider.page.locator('#token').fill(deskTokens.provider)
      await provider.page.locator('#access-form button').click()
      await openMenu(provider.page)
      await button(provider.page, 'Afvis …').click()
      await dialog(provider.page).getByLabel('Begrundelse').selectOption('OUT_OF_STOCK')
      await provider.look('the reason')
      await dialog(provider.page).getByRole('button', { name: 'Afvis' }).click()
      await checkReported(provider.page, 'Bestillingen er afvist')
      await link(provider.page, 'Følgeseddel').waitFor({ state: 'detached' })
      await provider.look('a rejected order')

      const nurse = await open(t, deskTokens.nurse, { ...phone, locale: 'da-DK' })
      await tab(nurse.page, 'Afviste og annullerede 1').click()
      await nurse.look('closed orders')
      await orderLink(nurse.page, 'Bestilling').click()
      await nurse.page.getByText('Ikke på lager').first().waitFor()
      await nurse.page.goto(`${origin}/desk/#/patient/${encodeURIComponent(patient('asta'))}`)
      await nurse.page.getByRole('cell', { name: 'SN-4711' }).waitFor()
      await nurse.look('a patient')
      await button(nurse.page, 'Hent, byt eller reparér …').click()
      await link(nurse.page, 'Reparation: Repair of the blood pressure monitor').click()
      await button(nurse.page, 'Fjern: Repair of the blood pressure monitor').waitFor()
      await nurse.look('a new order for a device')
      for (const { page } of [nurse, provider]) await page.close()
    }
  )

  await t.test('an order is created once although its response was lost', async (t) => {
    const { page } = await open(t, deskTokens.nurse)
    await page.goto(`${origin}/desk/#/new/${encodeURIComponent(patient('lost'))}`)
    await button(page, 'Add: Blood pressure monitor').click()
    await page.getByLabel('Name of the receiver (required)').fill('Lars Lost')
    await page.getByLabel('Address', { exact: true }).fill('Eksempelvej 2')
    await page.getByLabel('Telephone').fill('00 00 00 02')
    const creation = '**/ssl-order/v1/order'
    await page.route(creation, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await button(page, 'Send the order').click()
    await page.getByRole('alert').waitFor()
    await page.unroute(creation)
    await button(page, 'Send the order').click()
    await checkReported(page, 'The order was sent')
    const query = new URLSearchParams({ patient: patient('lost') })
    t.equal((await w.nurse.get(`${orders}/orders?${query}`, 200)).body.length, 1)
    await page.close()
  })

  await t.test('a line is added to a draft once although its response was lost', async (t) => {
    const draft = await w.createDraft()
    const { page } = await open(t, deskTokens.nurse)
    const query = new URLSearchParams({ order: draft.slice(-36) })
    await page.goto(`${origin}/desk/#/new/${encodeURIComponent(patient('p1'))}?${query}`)
    await button(page, 'Add: Blood pressure monitor').click()
    const creation = '**/ssl-order/v1/order-line'
    await page.route(creation, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await button(page, 'Add to the order').click()
    await page.getByRole('alert').waitFor()
    await page.unroute(creation)
    await button(page, 'Add to the order').click()
    await button(page, /^Send the order/).waitFor()
    const added = new URLSearchParams({ order: draft })
    t.equal((await w.nurse.get(`${orders}/order-lines?${added}`, 200)).body.length, 1)
    await w.nurse.patch(pathOf(draft), transitionTo('CANCELLED'), 204)
    await page.close()
  })

  await t.test('a draft is changed by keyboard, and the error of its submission is shown', async (t) => {
    const contact = { addressLine1: 'Eksempelvej 3', phone: '00 00 00 03' }
    const draft = await w.createDraft({ receiver: { name: 'Rasmus', patient: patient('p1'), ...contact } })
    await w.addLine(draft)
    const { page, look } = await open(t, deskTokens.nurse)
    await tab(page, 'Drafts 1').click()
    await orderLink(page, 'Order').focus()
    await page.keyboard.press('Enter')
    await button(page, 'Remove …').focus()
    await page.keyboard.press('Enter')
    await dialog(page).getByText('Blood pressure monitor: Delivery').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await button(page, 'Remove …').waitFor({ state: 'detached' })
    await page.getByText('Add something before you send the draft.').waitFor()
    await link(page, 'Add lines').click()
    await button(page, 'Add: Blood pressure monitor').click()
    await button(page, 'Add to the order').click()
    await button(page, 'Send the order').waitFor()
    await w.clerk.send({
      method: 'PUT',
      url: pathOf(w.catalogue),
      body: { ...(await w.clerk.get(pathOf(w.catalogue), 200)).body, status: 'INACTIVE' }
    })
    await button(page, 'Send the order').click()
    await page.getByRole('alert').waitFor()
    await look('a refusal')
    await link(page, 'Dansk').click()
    await page.getByRole('heading', { name: 'Beskeder' }).waitFor()
    await eventually(
      t,
      () => page.getByRole('alert').innerText(),
      /^✗ Serveren afviste det[^:]*$/,
      'nothing in English'
    )
    await w.nurse.patch(pathOf(draft), transitionTo('CANCELLED'), 204)
    await page.close()
  })
})
