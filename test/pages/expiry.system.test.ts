import t from 'tap'
import { eventually, skipBrowser } from '../fixtures/browser.js'
import { validWorkbook } from '../fixtures/excel/catalogue-rows.js'
import { excel } from '../fixtures/excel/client.js'
import { personAt } from '../fixtures/excel/upload-page.js'
import { signInAs, signInSite } from '../fixtures/sign-in.js'
import { patient } from '../fixtures/world.js'

t.test('when a token expires on the upload page', { skip: skipBrowser }, async (t) => {
  const site = await signInSite(t)
  const [issuer] = site.issuers
  if (!issuer) throw new Error('There is no issuer.')

  /** A provider after signing in, choosing a workbook, and the expiry of the token. */
  async function expired({ hasRefreshTokens = false } = {}) {
    Object.assign(issuer ?? {}, { grants: [], hasRefreshTokens })
    const visitor = await site.open(`${excel}/upload`)
    const person = personAt(visitor.page, visitor.faults)
    await visitor.signIn('Provider 1')
    await visitor.state.getByText('✓ Signed in: Ea Øst 1 (Provider)').waitFor()
    await person.choose(await validWorkbook())
    await visitor.passTime()
    return { ...visitor, person, check: visitor.page.locator('#check') }
  }

  await t.test('the page renews it with the refresh token', async (t) => {
    const { page, person } = await expired({ hasRefreshTokens: true })
    page.on('popup', () => t.fail('No window opens.'))
    t.match(await (await person.take('check')).innerText(), '✓ No faults')
    t.same(issuer.grants, ['authorization_code', 'refresh_token'])
  })

  await t.test('a window opens at the next click, and the request continues afterwards', async (t) => {
    const { page, person } = await expired()
    const opened = page.waitForEvent('popup')
    t.match(await (await person.take('check')).innerText(), '✓ No faults')
    await opened
    t.same(issuer.grants, ['authorization_code', 'authorization_code'])
  })

  await t.test('a window also opens when the issuer has ended the session', async (t) => {
    const { page, person, check } = await expired({ hasRefreshTokens: true })
    issuer.first = (request, response) => {
      if (request.url !== '/token' || request.method !== 'POST') return false
      issuer.first = undefined
      response.setHeader('access-control-allow-origin', '*')
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
      return true
    }
    await page.context().clearCookies()
    const [popup] = await Promise.all([page.waitForEvent('popup'), check.click()])
    await signInAs(popup, 'Provider 1')
    await page.locator('#check-result').getByText('✓ No faults').waitFor()
    await eventually(t, () => person.isOpen('import'), true)
  })

  await t.test('the page keeps its state while the issuer is unreachable', async (t) => {
    const { page, check } = await expired({ hasRefreshTokens: true })
    issuer.first = (request, response) => {
      if (request.url === '/token') response.destroy()
      return request.url === '/token'
    }
    await check.click()
    await page.locator('#check-result').getByText('The server did not respond.').waitFor()
    issuer.first = undefined
    await check.click()
    await page.locator('#check-result').getByText('✓ No faults').waitFor()
    t.same(issuer.grants, ['authorization_code', 'refresh_token'])
  })

  await t.test('a closed window leaves the page unchanged, with the workbook', async (t) => {
    const { page, check, state, signIn } = await expired()
    await page.context().clearCookies()
    const [popup] = await Promise.all([page.waitForEvent('popup'), check.click()])
    await popup.close()
    await page.locator('#check-result').getByText('You have no access, or it has expired').waitFor()
    await eventually(
      t,
      () => state.innerText(),
      /^✗ Your access has expired\. Sign in again: what you have typed stays\./
    )
    await signIn('Provider 1')
    await state.getByText('✓ Signed in').waitFor()
    await check.click()
    await page.locator('#check-result').getByText('✓ No faults').waitFor()
  })

  await t.test('another user starts with an empty page', async (t) => {
    const { page, check, state, person } = await expired()
    await page.context().clearCookies()
    const [popup] = await Promise.all([page.waitForEvent('popup'), check.click()])
    await signInAs(popup, 'Provider 2')
    await state.getByText('Sign in to use this page.').waitFor()
    await eventually(t, () => person.state('check'), 'First get access, see above.')
  })
})

t.test('when a token expires while an order is written', { skip: skipBrowser }, async (t) => {
  const site = await signInSite(t)
  const [issuer] = site.issuers
  /** A nurse after signing in, writing an order, and the expiry of the token. */
  async function written({ hasRefreshTokens = false } = {}) {
    Object.assign(issuer ?? {}, { grants: [], hasRefreshTokens })
    const visitor = await site.open(`/desk/#/new/${encodeURIComponent(patient('p1'))}`)
    const { page, button } = visitor
    await visitor.signIn('MonitoringResponsible 1')
    await button('Add: Blood pressure monitor').click()
    const receiver = page.getByLabel(/^Name of the receiver/)
    await receiver.fill('Asta Opdigtet')
    await page.getByLabel('Address', { exact: true }).fill('Eksempelvej 1')
    await page.getByLabel('Telephone').fill('00 00 00 01')
    await visitor.passTime()
    return { ...visitor, receiver }
  }
  const sent = 'The order was sent'

  for (const [user, why] of [
    ['AdministrativeClerk', 'sees other views'],
    ['Patient', 'the server refuses']
  ] as const)
    await t.test(`the page is empty for another user, who ${why}`, async (t) => {
      const { page, popupBy, state } = await written()
      await page.context().clearCookies()
      await signInAs(await popupBy('Send the order'), user)
      await state.getByText('Sign in to use this page.').waitFor()
      t.equal(await page.getByLabel(/^Name of the receiver/).count(), 0)
    })

  await t.test('concurrent calls renew the token once', async (t) => {
    const { page, faults } = await written({ hasRefreshTokens: true })
    const calls: string[] = []
    page.on('request', (request) => request.url().startsWith(site.origin) && calls.push(request.url()))
    await page.getByRole('link', { name: 'Dansk' }).click()
    await page.locator('option', { hasText: 'Levering' }).first().waitFor({ state: 'attached' })
    t.ok(calls.length > 1)
    t.same(issuer?.grants, ['authorization_code', 'refresh_token'])
    t.same(faults, [])
  })

  await t.test('the order is sent after one click', async (t) => {
    const { page, popupBy, faults } = await written()
    await popupBy('Send the order')
    await page.getByText(sent).first().waitFor()
    t.same(faults, [])
  })

  await t.test('typed text stays when no user signs in, also in the other language', async (t) => {
    const { page, popupBy, state, receiver, signIn, button } = await written()
    await page.context().clearCookies()
    await (await popupBy('Send the order')).close()
    await page.getByText('You have no access, or it has expired').first().waitFor()
    await page.getByRole('button', { name: 'Go to “Access”' }).first().click()
    await eventually(t, () => page.evaluate('document.activeElement.textContent'), 'Sign in')
    await eventually(t, () => receiver.inputValue(), 'Asta Opdigtet')
    await page.getByRole('link', { name: 'Dansk' }).click()
    await page.getByText('Du har ikke adgang, eller den er udløbet').first().waitFor()
    await eventually(t, () => page.getByLabel(/^Modtagerens navn/).inputValue(), 'Asta Opdigtet')
    await signIn('MonitoringResponsible 1')
    await state.getByText('✓ Logget ind').waitFor()
    await eventually(t, () => page.getByText('Du har ikke adgang, eller den er udløbet').count(), 0)
    await button('Send bestillingen').click()
    await page.getByText('Asta Opdigtet').first().waitFor()
    await page.getByText('Bestillingen er sendt').first().waitFor()
  })
})
