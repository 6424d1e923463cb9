import t from 'tap'
import { skip } from '../fixtures/browser.js'
import { excel } from '../fixtures/excel/client.js'
import { clean } from '../fixtures/excel/sheets.js'
import { personAt } from '../fixtures/excel/upload-page.js'
import { signInAs, signInSite } from '../fixtures/sign-in.js'

t.test('when a token expires on the upload page', { skip }, async (t) => {
  const site = await signInSite(t)
  const [issuer] = site.issuers
  if (!issuer) throw new Error('There is no issuer.')

  /** A provider who signed in and chose a workbook, and whose token then expired. */
  async function expired({ hasRefreshTokens = false } = {}) {
    Object.assign(issuer ?? {}, { grants: [], hasRefreshTokens })
    const visitor = await site.open(`${excel}/upload`)
    const person = personAt(visitor.page, visitor.faults)
    await visitor.signIn('Provider 1')
    await visitor.state.getByText('✓ Signed in: Ea Øst 1 (Provider)').waitFor()
    await person.choose(await clean())
    await visitor.passTime()
    return { ...visitor, person, check: visitor.page.locator('#check') }
  }

  await t.test('the page renews it with the refresh token', async (t) => {
    const { page, person } = await expired({ hasRefreshTokens: true })
    page.on('popup', () => t.fail('No window opens.'))
    t.match(await (await person.take('check')).innerText(), '✓ No faults')
    t.same(issuer.grants, ['authorization_code', 'refresh_token'])
  })

  await t.test('a window opens at the next click, and what was sent goes on', async (t) => {
    const { page, person } = await expired()
    const opened = page.waitForEvent('popup')
    t.match(await (await person.take('check')).innerText(), '✓ No faults')
    await opened
    t.same(issuer.grants, ['authorization_code', 'authorization_code'])
  })

  await t.test('the same when the issuer has ended the session', async (t) => {
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
    t.ok(await person.isOpen('import'))
  })

  await t.test('a closed window leaves the page as it was', async (t) => {
    const { page, person, check, state, signIn } = await expired()
    await page.context().clearCookies()
    const [popup] = await Promise.all([page.waitForEvent('popup'), check.click()])
    await popup.close()
    await page.locator('#check-result').getByText('You have no access, or it has expired').waitFor()
    t.match(await state.innerText(), /^Sign in in the window that opened\./)
    await signIn('Provider 1')
    await state.getByText('✓ Signed in').waitFor()
    t.match(await (await person.take('check')).innerText(), '✓ No faults', 'the workbook is still chosen')
  })

  await t.test('another person starts with an empty page', async (t) => {
    const { page, check, state, person } = await expired()
    await page.context().clearCookies()
    const [popup] = await Promise.all([page.waitForEvent('popup'), check.click()])
    await signInAs(popup, 'Provider 2')
    await state.getByText('Sign in to use this page.').waitFor()
    t.equal(await person.state('check'), 'First get access, see above.')
  })
})
