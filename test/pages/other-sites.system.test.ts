import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { eventually, skipBrowser } from '../fixtures/browser.js'
import { excel } from '../fixtures/excel/client.js'
import { signInAs, signInSite } from '../fixtures/sign-in.js'

t.test('a page of another site', { skip: skipBrowser }, async (t) => {
  const site = await signInSite(t)
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>')
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  for (const path of ['/desk/', `${excel}/upload`]) {
    await t.test(`cannot control ${path} by opening it`, async (t) => {
      const page = await (await site.newContext()).newPage()
      await page.goto(elsewhere)
      const [opened] = await Promise.all([
        page.waitForEvent('popup'),
        page.evaluate(`void (globalThis.opened = open('${site.origin}${path}'))`)
      ])
      await opened.locator('#access-state').getByText('Sign in to use this page.').waitFor()
      t.equal(await opened.evaluate('window.opener'), null)
      await eventually(t, () => page.evaluate('globalThis.opened.closed'), true, 'it seems closed')
    })

    await t.test(`cannot frame ${path}`, async (t) => {
      const page = await (await site.newContext()).newPage()
      await page.goto(elsewhere)
      const [framed] = await Promise.all([
        page.waitForEvent('framenavigated', (frame) => frame !== page.mainFrame()),
        page.evaluate(
          `document.body.append(Object.assign(document.createElement('iframe'), { src: '${site.origin}${path}' }))`
        )
      ])
      t.match(framed.url(), /^chrome-error:/)
    })
  }

  await t.test('cannot end or complete the sign-in of a page', async (t) => {
    const { page, state, popupBy } = await site.open('/desk/')
    const popup = await popupBy('Sign in')
    await popup.getByPlaceholder('Enter any login').waitFor()
    const other = await page.context().newPage()
    await other.goto(elsewhere)
    // Only pages of an origin share a channel.
    await other.evaluate(`new BroadcastChannel('ssl-sign-in').postMessage({ response: '?code=a&state=b' })`)
    t.match(await state.innerText(), /^Sign in in the window that opened\./)
    await signInAs(popup, 'MonitoringResponsible 1')
    await state.getByText('✓ Signed in').waitFor()
  })

  await t.test('cannot break the desk by a fragment', async (t) => {
    for (const fragment of ['#/%', '#/order/%E0%A4%A', '#//evil.example', '#/__proto__?a=%']) {
      const { page, state, faults } = await site.open(`/desk/${fragment}`)
      await state.getByText('Sign in to use this page.').waitFor()
      t.same(faults, [], fragment)
      await page.evaluate(`new Promise((resolve) => {
        addEventListener('hashchange', () => setTimeout(resolve))
        location.hash = '#/%%'
      })`)
      t.same(faults, [])
      await page.close()
    }
  })
})

t.test('an application that hands over its token', { skip: skipBrowser }, async (t) => {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Application</title>')
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const application = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const site = await signInSite(t, 1, { CORS_ORIGINS: application })
  const page = await (await site.newContext()).newPage()
  await page.goto(application)
  await page.evaluate(`addEventListener('message', ({ data, source, origin }) => {
    if (data.type === 'ssl-token-wanted') source.postMessage({ type: 'ssl-token', token: '${await site.token()}' }, origin)
  })`)
  const url = `${site.origin}${excel}/upload`

  await t.test('does so if it opens a page on which users can sign in', async (t) => {
    const [opened] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void open('${url}')`)])
    const received = opened.getByText('✓ Access key received.')
    await received.waitFor()
    await eventually(t, () => opened.getByRole('button', { name: 'Sign in' }).count(), 0)
    await opened.getByRole('link', { name: 'Dansk' }).click()
    await opened.getByText('✓ Adgangsnøglen er modtaget.').waitFor()
    await opened.getByRole('link', { name: 'English' }).click()
    await received.waitFor()
  })

  await t.test('makes the page wait for its token if it frames the page', async (t) => {
    const silent = await page.context().newPage()
    await silent.goto(application)
    await silent.evaluate(
      `void document.body.append(Object.assign(document.createElement('iframe'), { src: '${url}' }))`
    )
    const frame = silent.frameLocator('iframe')
    await frame.getByText(/^Waiting for the application/).waitFor()
    t.equal(await frame.getByRole('button', { name: 'Sign in' }).count(), 0)
  })
})
