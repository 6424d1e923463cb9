import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { unsignedToken } from '../../../src/platform/auth/tokens/unsigned-token.js'
import { collectPageErrors, delayRequests, eventually, skipBrowser } from '../../fixtures/browser.js'
import { tokenOf } from '../../fixtures/callers.js'
import { catalogueOf, clerkOf } from '../../fixtures/clerks.js'
import { validWorkbook } from '../../fixtures/excel/catalogue-rows.js'
import { excel } from '../../fixtures/excel/client.js'
import { providerToken as token, uploadSite } from '../../fixtures/excel/upload-page.js'
import { catalogue, orders, organization, party } from '../../fixtures/world.js'

const given = /^✓ Access key received\./
const awaited = /^Waiting for the application/

/**
 * An application of any origin that opens or frames the page, and hands over its token on request.
 */
async function application(t: Test): Promise<string> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Application</title>')
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Makes the application answer each request for a token. */
const handOver = (page: Page) =>
  page.evaluate(`addEventListener('message', ({ data, source, origin }) => {
    if (data.type === 'ssl-token-wanted') source.postMessage({ type: 'ssl-token', token: '${token}' }, origin)
  })`)

// test/pages/other-sites.system.test.ts has applications that open the page, and sites that frame it.
t.test('the token of the page', { skip: skipBrowser }, async (t) => {
  const [ours, foreign] = [await application(t), await application(t)]
  const site = await uploadSite(t, { CORS_ORIGINS: `https://other.example,${ours}` })
  const { browser } = site
  const address = `${site.origin}${excel}/upload`
  const access = (page: Page) => page.locator('#access-state')

  /** The page as an application opened it. */
  async function opened(from: string) {
    const page = await browser.newPage({ locale: 'en-GB' })
    await page.goto(from)
    await handOver(page)
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(`globalThis.opened = open('${address}')`)
    ])
    await popup.locator('#import-state').getByText('First').waitFor()
    return { page, popup }
  }

  await t.test('comes from an allowed application that frames it', async (t) => {
    const page = await browser.newPage({ locale: 'en-GB' })
    const faults = collectPageErrors(page)
    await page.goto(ours)
    await handOver(page)
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${address}' }))`
    )
    await page.frameLocator('iframe').getByText(given).waitFor()
    t.same(
      faults.filter((fault) => !fault.includes('favicon')),
      []
    )
    await page.close()
  })

  await t.test('is ignored from an application that is not allowed', async (t) => {
    const { page, popup } = await opened(foreign)
    await popup.evaluate(
      `void (globalThis.heard = new Promise((resolve) => addEventListener('message', resolve)))`
    )
    await page.evaluate(`globalThis.opened.postMessage({ type: 'ssl-token', token: '${token}' }, '*')`)
    await popup.evaluate('heard.then(() => undefined)')
    t.match(await access(popup).innerText(), awaited)
    await page.close()
  })

  await t.test('is ignored from another window of an allowed origin', async (t) => {
    const { page } = await site.open(t, { token: null })
    await page.evaluate(`new Promise((resolve) => {
      addEventListener('message', resolve)
      postMessage({ type: 'ssl-token', token: '${token}' }, '*')
    })`)
    t.match(await access(page).innerText(), /^The page needs an access key/)
  })

  await t.test('is requested again when it is rejected', async (t) => {
    const person = await site.open(t, { token: 'two words' })
    const { page } = person
    await eventually(t, () => access(page).innerText(), /^✗ This is not an access key\./)
    await person.give('nonsense')
    await page.getByText(/^✗ The server does not accept the access key/).waitFor()
    await eventually(t, () => person.state('check'), 'First get access, see above.')
    await person.give(tokenOf('MonitoringResponsible'))
    await page.getByText('Only clerks and providers can import catalogues.').waitFor()
    await eventually(t, () => page.locator('#file').count(), 0)
    await person.give(tokenOf('Provider', 'provider', { permissions: ['Catalogue.read', 'Party.read'] }))
    await page.locator('#access-state').getByText(given).waitFor()
    await person.choose(await validWorkbook())
    const refused = await (await person.take('check')).innerText()
    t.match(refused, /✗ That did not work\s+The access key does not allow this operation\./)
    await eventually(t, () => person.isOpen('import'), false)
    await person.give(`Bearer ${token}`)
    t.match(await (await person.take('check')).innerText(), '✓ No faults')
  })

  await t.test(
    'that replaces another token leaves the catalogues usable while they are reloaded',
    async (t) => {
      const person = await site.open(t)
      const { page } = person
      const targets = page.getByText('Catalogues that you can change: ')
      await targets.waitFor()
      const sendDelayed = await delayRequests(page, /[?&]administered=true/)
      const [read] = await Promise.all([
        page.waitForRequest(/[?&]administered=true/),
        person.give(
          unsignedToken({ userType: 'Provider', organization: organization('provider'), name: 'New' })
        )
      ])
      t.equal(await page.locator('[inert]').count(), 0)
      await eventually(t, () => targets.isVisible(), true)
      sendDelayed()
      await read.response()
    }
  )

  await t.test('runs no step before the server has named its user', async (t) => {
    const person = await site.open(t, { token: null })
    const sendDelayed = await delayRequests(person.page, /\/ssl-order\/v1\/me\b/)
    await person.give(token)
    await person.choose(await validWorkbook())
    await eventually(t, () => person.state('check'), 'Please wait …')
    t.notOk(await person.isOpen('check'))
    sendDelayed()
    await eventually(t, () => person.state('check'), 'Ready to be checked.')
    t.match(await (await person.take('check')).innerText(), '✓ No faults')
  })

  await t.test('of another organization shows no catalogue of the former one', async (t) => {
    const town = clerkOf(site, 'town')
    await town.create(`${orders}/party`, party('town', 'BUYER'))
    const seller = await town.create(`${orders}/party`, party('shop', 'SELLER'))
    await town.create(`${catalogue}/catalogue`, { ...catalogueOf(seller), name: 'Walking aids' })
    const person = await site.open(t, { token: tokenOf('AdministrativeClerk') })
    const { page } = person
    const options = () => page.locator('#target option').allInnerTexts()
    const header = page.locator('body > header')
    const lists = /[?&]administered=true/
    await page.locator('#target').selectOption({ label: 'Devices – active' })
    await page.getByText('The catalogue “Devices” now').waitFor()
    await person.choose(await validWorkbook('Devices'))
    await person.take('check')

    const sendLists = await delayRequests(page, lists)
    const me = /\/ssl-order\/v1\/me\b/
    const sendMe = await delayRequests(page, me)
    await eventually(t, () => person.isOpen('import'), true)
    await person.give(tokenOf('AdministrativeClerk', 'town'))
    await page.locator('#import-state').getByText('Please wait …').waitFor()
    await eventually(
      t,
      () => person.isOpen('import'),
      false,
      'no step runs with the token of an unknown user'
    )
    await eventually(t, () => header.getByText('region').count(), 0)
    sendMe()
    await page.unroute(me)
    await header.getByText('town').waitFor()
    await eventually(t, () => page.locator('#file-state').innerText(), /^No workbook is chosen/)
    await eventually(t, () => options(), ['Create a new catalogue'])
    await eventually(t, () => page.locator('#chosen, #check-result h3').count(), 0)
    sendLists()
    await page.locator('#target option', { hasText: 'Walking aids' }).waitFor({ state: 'attached' })
    await eventually(t, () => options(), ['Create a new catalogue', 'Walking aids – active'])

    await page.unroute(lists)
    await page.route(lists, (route) => route.abort())
    await person.give(tokenOf('AdministrativeClerk'))
    await header.getByText('region').waitFor()
    await page.getByText('The server did not respond.').waitFor()
    t.notMatch((await options()).join(), 'Walking aids')
    for (const fault of person.faults.splice(0)) t.match(fault, /net::ERR_FAILED/)
  })

  await t.test('is not stored', async (t) => {
    const person = await site.open(t, { token: null })
    const { page } = person
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await person.give(token)
    await person.choose(await validWorkbook('Kept'))
    await person.take('check')
    await person.take('import')
    t.same(
      await page.evaluate(`(async () => ({
        kept: [localStorage.length, sessionStorage.length, document.cookie, window.name, history.state],
        databases: await indexedDB.databases(), caches: await caches.keys(), field: document.querySelector('#token').value
      }))()`),
      { kept: [0, 0, '', '', null], databases: [], caches: [], field: '' }
    )
    t.same(await page.context().cookies(), [])
    t.equal(page.url(), address)
    t.ok(requested.length > 3)
    t.notMatch(requested.join(' '), token)
    t.notMatch(await page.content(), token)
  })

  await t.test('is unreachable for injected scripts', async (t) => {
    const { page, faults } = await site.open(t)
    await page.evaluate(`(() => {
      const script = document.createElement('script')
      script.textContent = 'globalThis.isThere = true'
      document.body.append(script)
    })()`)
    t.equal(await page.evaluate('globalThis.isThere'), undefined)
    t.equal(
      await page.evaluate(`fetch('${foreign}', { mode: 'no-cors' }).then(() => 'sent', () => 'refused')`),
      'refused'
    )
    t.match(faults.splice(0).join('\n'), /script-src 'self'[\s\S]*connect-src 'self'/)
  })
})
