import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { accessibilityFaults, eventually, skipBrowser } from '../fixtures/browser.js'
import { excel } from '../fixtures/excel/client.js'
import { signInAs, signInSite } from '../fixtures/sign-in.js'

const nurse = 'MonitoringResponsible'

t.test('signing in on the order desk', { skip: skipBrowser }, async (t) => {
  const site = await signInSite(t)
  const [issuer] = site.issuers
  if (!issuer) throw new Error('There is no issuer.')
  const open = (locale?: string) => site.open('/desk/', locale)
  t.beforeEach(() => {
    Object.assign(issuer, { first: undefined, grants: [], hasRefreshTokens: false })
  })

  await t.test('shows who is signed in, and keeps nothing in the browser', async (t) => {
    const { page, state, signIn, faults } = await open()
    await state.getByText('Sign in to use this page.').waitFor()
    t.same(await accessibilityFaults(page), [])
    await signIn(`${nurse} 1`)
    await state.getByText('✓ Signed in: Ea Øst 1 (Monitoring responsible)').waitFor()
    t.same(await accessibilityFaults(page), [])
    t.same(
      await page.evaluate(`(async () => ({
        kept: [localStorage.length, sessionStorage.length, document.cookie, window.name, Object.keys(history.state ?? {}).join()],
        databases: await indexedDB.databases(), caches: await caches.keys()
      }))()`),
      { kept: [0, 0, '', '', 'number'], databases: [], caches: [] }
    )
    t.equal(page.url(), `${site.origin}/desk/`)
    t.same(faults, [])
    t.same(issuer.grants, ['authorization_code'])
  })

  await t.test('works in Danish, and if the issuer isolates its window', async () => {
    issuer.first = (_request, response) => {
      response.setHeader('cross-origin-opener-policy', 'same-origin')
      return false
    }
    const { state, signIn } = await open('da-DK')
    await state.getByText('Log ind for at bruge siden.').waitFor()
    await signIn(`${nurse} 1`)
    await state.getByText('✓ Logget ind: Ea Øst 1 (Monitoreringsansvarlig)').waitFor()
  })

  await t.test('says which user types the page is for', async (t) => {
    const { state, signIn, button, page } = await site.open(`${excel}/upload`)
    await signIn(nurse)
    await state
      .getByText(
        '✗ You are signed in as Monitoring responsible. This page is for: Provider, Administrative clerk. Sign out to sign in as another user.'
      )
      .waitFor()
    await eventually(t, () => button('Sign in').count(), 0)
    await page.getByRole('link', { name: 'Dansk' }).click()
    await eventually(
      t,
      () => state.innerText(),
      /^✗ Du er logget ind som Monitoreringsansvarlig\. Siden er for: /
    )
    await page.close()
  })

  await t.test('says why the server rejects a user', async () => {
    for (const [user, text] of [
      [
        'Patient',
        /^✗ .*The access key’s user_type is unknown\. The known user types are AdministrativeClerk, MonitoringResponsible, Provider\.$/
      ],
      [' ', /^✗ .*Missing or malformed claim: …/]
    ] as const) {
      const { state, signIn, button, page } = await open()
      await signIn(user)
      await state.getByText(text).waitFor()
      await button('Sign out').waitFor()
      await page.close()
    }
  })

  await t.test('ends when the issuer rejects the user, and can be repeated', async () => {
    const { state, popupBy } = await open()
    const popup = await popupBy('Sign in')
    const closed = popup.waitForEvent('close')
    await popup.getByRole('link', { name: 'Cancel' }).click()
    await closed
    await state.getByText(/^✗ You were not signed in: it was cancelled, or you have no access\./).waitFor()
    const answers: [answer: (response: ServerResponse) => void, text: RegExp][] = [
      [
        (response) =>
          response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}'),
        /^✗ The sign-in service rejected the sign-in \(invalid_grant\)\./
      ],
      [
        (response) => response.writeHead(500).end('<p>'),
        /^✗ The sign-in service rejected the sign-in \(OAUTH_/
      ],
      [(response) => response.destroy(), /^✗ The sign-in service does not respond\./]
    ]
    let isFirst = true
    for (const [answer, text] of answers) {
      issuer.first = atToken((response) => {
        response.setHeader('access-control-allow-origin', '*')
        answer(response)
      })
      const again = await popupBy('Sign in')
      if (isFirst) await signInAs(again, nurse)
      isFirst = false
      await state.getByText(text).waitFor()
    }
    issuer.first = undefined
    await popupBy('Sign in')
    await state.getByText('✓ Signed in').waitFor()
  })

  await t.test('ends when its script does not load, and can be tried again', async () => {
    const { page, state, popupBy } = await open()
    await page.route('**/pages/issuer.js', (route) => route.abort(), { times: 1 })
    const popup = await popupBy('Sign in')
    await state.getByText(/^✗ The sign-in service does not respond\./).waitFor()
    if (!popup.isClosed()) await popup.waitForEvent('close')
    await signInAs(await popupBy('Sign in'), nurse)
    await state.getByText('✓ Signed in').waitFor()
  })

  await t.test('ignores the response to another request', async (t) => {
    const { page, state, popupBy } = await open()
    const popup = await popupBy('Sign in')
    await popup.getByPlaceholder('Enter any login').waitFor()
    const attacker = await page.context().newPage()
    await attacker.goto(`${site.origin}/sign-in?code=stolen&state=guessed&iss=${issuer.url}`)
    await attacker.getByText('You can close this window.').waitFor()
    t.equal(attacker.url(), `${site.origin}/sign-in`, 'the code leaves the address')
    t.same(await accessibilityFaults(attacker), [])
    await signInAs(popup, nurse)
    await state.getByText('✓ Signed in').waitFor()
    t.same(issuer.grants, ['authorization_code'], 'only the code of the issuer was sent to it')
  })

  await t.test('ignores the response of another issuer', async (t) => {
    const { page, state, popupBy } = await open()
    const [sent] = await Promise.all([
      page.context().waitForEvent('request', (request) => request.url().startsWith(`${issuer.url}/auth?`)),
      popupBy('Sign in')
    ])
    const expected = new URL(sent.url()).searchParams.get('state')
    const attacker = await page.context().newPage()
    await attacker.goto(`${site.origin}/sign-in?code=stolen&state=${expected}&iss=https://evil.example`)
    await state.getByText('✗ The sign-in service rejected the sign-in (OAUTH_INVALID_RESPONSE).').waitFor()
    t.same(issuer.grants, [])
  })

  await t.test('gives the issuer no access to the page', async (t) => {
    const { popupBy } = await open()
    const popup = await popupBy('Sign in')
    await popup.getByPlaceholder('Enter any login').waitFor()
    t.equal(await popup.evaluate('window.opener'), null)
    t.equal(await popup.evaluate('document.referrer'), '')
  })

  await t.test('fails if the browser opens no window', async () => {
    const { page, state, button } = await open()
    await page.evaluate('window.open = () => null')
    await button('Sign in').click()
    await state.getByText(/^✗ The browser did not open the window\./).waitFor()
  })

  await t.test('stays signed in if the sign-out at the issuer fails', async () => {
    const { page, state, signIn, button } = await open()
    await signIn(nurse)
    await state.getByText('✓ Signed in').waitFor()
    await page.evaluate('window.open = () => null')
    await button('Sign out').click()
    await state.getByText(/^✗ The browser did not open the window\./).waitFor()
    await button('Sign out').waitFor()
  })

  await t.test('signs out on the page and at the issuer', async (t) => {
    const { page, state, signIn, button, popupBy } = await open()
    await signIn(nurse)
    await state.getByText('✓ Signed in').waitFor()
    await page.evaluate(`location.hash = '#/orders'`)
    const popup = await popupBy('Sign out')
    const closed = popup.waitForEvent('close')
    await popup.getByRole('button', { name: 'Yes, sign me out' }).click()
    await closed
    await state.getByText('Sign in to use this page.').waitFor()
    t.equal(page.url(), `${site.origin}/desk/`)
    await eventually(t, () => button('Sign out').count(), 0)
    await signIn(nurse)
    await state.getByText('✓ Signed in').waitFor()
  })
})

t.test(
  'a view that a closed window left without a token is loaded after signing in',
  {
    skip: skipBrowser
  },
  async () => {
    const site = await signInSite(t)
    const { page, state, signIn, passTime } = await site.open('/desk/')
    await signIn(nurse)
    await state.getByText('✓ Signed in').waitFor()
    const patients = page.getByRole('link', { name: 'Patients', exact: true })
    await patients.waitFor()
    await passTime()
    await page.context().clearCookies()
    const [popup] = await Promise.all([page.waitForEvent('popup'), patients.click()])
    await popup.close()
    await page.getByRole('alert').getByText('You have no access, or it has expired').first().waitFor()
    await signIn(nurse)
    await page.getByRole('table', { name: 'Patients' }).or(page.getByText('No patient was found.')).waitFor()
  }
)

t.test('users choose one of several issuers', { skip: skipBrowser }, async (t) => {
  const site = await signInSite(t, 2)
  const { state, button, popupBy } = await site.open('/desk/')
  const hosts = site.issuers.map(({ url }) => new URL(url).host)
  await eventually(
    t,
    () => button(/^Sign in/).allInnerTexts(),
    hosts.map((host) => `Sign in at ${host}`)
  )
  await signInAs(await popupBy(`Sign in at ${hosts[1]}`), nurse)
  await state.getByText('✓ Signed in').waitFor()
  t.same(
    site.issuers.map(({ grants }) => grants),
    [[], ['authorization_code']]
  )
})

/** Answers requests at the token endpoint. */
const atToken =
  (answer: (response: ServerResponse) => void) => (request: IncomingMessage, response: ServerResponse) => {
    const isThere = request.url === '/token' && request.method === 'POST'
    if (isThere) answer(response)
    return isThere
  }
