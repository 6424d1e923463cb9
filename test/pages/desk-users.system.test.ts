import type { Page } from 'playwright-core'
import t from 'tap'
import { delayRequests, eventually, skipBrowser } from '../fixtures/browser.js'
import { tokenOf } from '../fixtures/callers.js'
import { button, deskSite, deskTokens, dialog, link } from '../fixtures/desk.js'
import { add, pathOf, patient } from '../fixtures/world.js'

/* What remains of one user on the order desk when the token of another user is given. */

const me = /\/ssl-order\/v1\/me\b/

t.test('the order desk', { skip: skipBrowser }, async (t) => {
  const { w, open } = await deskSite(t)
  const { order } = await w.submitted()
  await w.provider.patch(
    pathOf(order),
    [add('/awaiting', 'BUYER'), add('/notes/-', { note: 'Which floor?' })],
    204
  )

  let corrections = 0
  /**
   * A nurse who has made a correction, has typed a message and another correction, and whose token
   * the server has rejected.
   */
  async function rejected() {
    const { page } = await open(t, deskTokens.nurse, {}, `#/order/${order.slice(-36)}`)
    await link(page, 'Orders 1').waitFor()
    // A toast does not expire on a slow machine.
    await page.evaluate(`
      const start = setTimeout
      window.setTimeout = (work, ms) => (ms === 8000 ? 0 : start(work, ms))
    `)
    const correct = dialog(page).getByRole('button', { name: 'Correct', exact: true })
    await button(page, 'Correct …').click()
    await dialog(page).getByLabel('Telephone').fill(`00 00 00 1${corrections++}`)
    await correct.click()
    await page.locator('.toasts p').first().waitFor()
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByLabel('Answer (required)').fill('Typed answer')
    await button(page, 'Correct …').click()
    await dialog(page).getByLabel('E-mail').fill('typed@example.com')
    const change = '**/ssl-order/v1/order/*'
    await page.route(change, (route) => route.fulfill({ status: 401, body: '' }))
    await correct.click()
    await page.getByText('✗ The server does not accept the access key.').waitFor()
    await page.unroute(change)
    await correct.click()
    await dialog(page).getByRole('button', { name: 'Go to “Access”' }).click()
    return page
  }
  /** Gives a token, and waits until the page asks the server for the user. */
  const give = async (page: Page, token: string) => {
    await page.locator('#token').fill(token)
    await Promise.all([page.waitForRequest(me), page.locator('#access-form button').click()])
  }

  await t.test('confirms a token of an application once, until the next click', async (t) => {
    const { page: application } = await open(t, deskTokens.nurse)
    const [page] = await Promise.all([
      application.waitForEvent('popup'),
      application.evaluate(`void (globalThis.desk = open('/desk/'))`)
    ])
    const state = page.locator('#access-state')
    const handOver = (token: string) =>
      application.evaluate(`desk.postMessage({ type: 'ssl-token', token: '${token}' })`)
    await state.getByText(/^Waiting for the application/).waitFor()
    await handOver(deskTokens.nurse)
    await page.locator('.access.quiet').getByText('✓ Access key received.').waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    await eventually(t, () => state.innerText(), '')
    await page.evaluate(`void (globalThis.arrived = new Promise((resolve) => {
      addEventListener('message', () => setTimeout(resolve))
    }))`)
    await handOver(tokenOf('MonitoringResponsible', 'region', { name: 'Nora Nurse', lifetime: 600 }))
    await page.evaluate('arrived')
    t.equal(await state.innerText(), '')
    for (const each of [page, application]) await each.close()
  })

  await t.test('shows the view and the dialog to the same user at once', async (t) => {
    const page = await rejected()
    await delayRequests(page, me)
    await give(page, tokenOf('MonitoringResponsible', 'region', { name: 'Nora Nurse', lifetime: 600 }))
    await eventually(t, () => dialog(page).getByLabel('E-mail').inputValue(), 'typed@example.com')
    await page.keyboard.press('Escape')
    await eventually(t, () => page.getByLabel('Answer (required)').inputValue(), 'Typed answer')
    await page.close()
  })

  await t.test('shows nothing of a user once the token of another user is given', async (t) => {
    const page = await rejected()
    const sendDelayed = await delayRequests(page, me)
    t.equal(await page.locator('.toasts p').count(), 1)
    await give(page, deskTokens.provider)
    await eventually(
      t,
      () => page.locator('main').innerText(),
      /^Order desk\s+Order for patients at home, and deliver\.$/
    )
    t.equal(await page.locator('dialog, .toasts p').count(), 0)
    t.equal(
      await page
        .locator('.me')
        .getByText(/Nora|region/)
        .count(),
      0
    )
    t.equal(await page.getByRole('navigation').count(), 0)
    sendDelayed()
    await page.locator('.me').getByText('Per Provider').waitFor()
    await page.getByText('Which floor?').waitFor()
    await eventually(t, () => page.getByLabel('New message (required)').inputValue(), '')
    t.equal(await page.evaluate(`dispatchEvent(new Event('beforeunload', { cancelable: true }))`), true)
    await page.close()
  })

  await t.test('does not show the counts of a user to another user', async (t) => {
    const page = await rejected()
    await delayRequests(page, /\/ssl-order\/v1\/orders\?/)
    await give(page, deskTokens.provider)
    await page.locator('.me').getByText('Per Provider').waitFor()
    await eventually(t, () => page.getByRole('navigation').getByRole('link').allInnerTexts(), [
      'Orders',
      'Round of the day',
      'Find a device',
      'Catalogues',
      'Figures'
    ])
    await page.close()
  })

  for (const [view, next] of [
    ['#/patients?q=Nancy', '#/patients'],
    ['#/patient/Patient%2F4711', '#/'],
    ['#/new/Patient%2F4711?device=1', '#/']
  ] as const)
    await t.test(`removes the patient from the URL ${view} for another user`, async (t) => {
      const { page } = await open(t, deskTokens.nurse)
      await link(page, 'Orders 1').waitFor()
      const apis = /\/ssl-order\/v1\//
      await page.route(apis, (route) => route.fulfill({ status: 401, body: '' }))
      await page.evaluate(`location.hash = '${view}'`)
      await page.getByText('✗ The server does not accept the access key.').waitFor()
      t.equal(new URL(page.url()).hash, view)
      await page.unroute(apis)
      await give(page, deskTokens.provider)
      await page.locator('.me').getByText('Per Provider').waitFor()
      t.equal(new URL(page.url()).hash, next)
      await page.close()
    })

  await t.test('does not show the outcome of a change to another user', async (t) => {
    const { page } = await open(t, deskTokens.nurse, {}, `#/order/${order.slice(-36)}`)
    await page.getByLabel('Answer (required)').fill('Second')
    const sendDelayed = await delayRequests(page, /\/ssl-order\/v1\/order\/[^/]*$/)
    const [change] = await Promise.all([
      page.waitForEvent('request', (each) => each.method() === 'PATCH'),
      button(page, 'Send the answer').click()
    ])
    const lists = /\/ssl-order\/v1\/orders\?/
    await page.route(lists, (route) => route.fulfill({ status: 401, body: '' }))
    await link(page, 'Orders 1').click()
    await page.getByText('✗ The server does not accept the access key.').waitFor()
    await page.unroute(lists)
    await give(page, deskTokens.provider)
    await page.locator('.me').getByText('Per Provider').waitFor()
    await page.evaluate(`
      globalThis.shown = []
      const toasts = document.querySelector('.toasts')
      new MutationObserver(() => shown.push(toasts.innerText)).observe(toasts, { childList: true })
    `)
    sendDelayed()
    t.equal((await change.response())?.status(), 204)
    // The page receives this response after the response to the change.
    await Promise.all([
      page.waitForResponse(/\/ssl-catalogue\/v1\/catalogues\?/),
      link(page, 'Catalogues').click()
    ])
    t.same(await page.evaluate('shown'), [])
    await page.close()
  })

  await t.test('does not show a change whose response body arrives after a change of user', async (t) => {
    const { page } = await open(t, deskTokens.nurse, {}, `#/new/${encodeURIComponent(patient('p1'))}`)
    await button(page, 'Add: Blood pressure monitor').click()
    await page.getByLabel('Name of the receiver (required)').fill('Lena Late')
    await page.evaluate(`
      const send = fetch
      window.fetch = async (url, init) => {
        const response = await send(url, init)
        if (!url.endsWith('/order')) return response
        const bytes = new Uint8Array(await response.arrayBuffer())
        const body = new ReadableStream({
          start: (controller) => {
            window.endBody = () => {
              controller.enqueue(bytes)
              controller.close()
            }
          }
        })
        return new Response(body, response)
      }
    `)
    await button(page, 'Save as a draft').click()
    await page.getByText('The address or the telephone number is missing.').waitFor()
    await button(page, 'Save as a draft').click()
    await eventually(t, () => page.evaluate('typeof endBody'), 'function')
    const lists = /\/ssl-order\/v1\/orders\?/
    await page.route(lists, (route) => route.fulfill({ status: 401, body: '' }))
    await link(page, 'Order desk').click()
    await page.getByText('✗ The server does not accept the access key.').waitFor()
    await page.unroute(lists)
    await give(page, deskTokens.provider)
    await page.locator('.me').getByText('Per Provider').waitFor()
    await page.evaluate(`
      globalThis.opened = []
      addEventListener('hashchange', ({ newURL }) => opened.push(new URL(newURL).hash))
      endBody()
    `)
    await link(page, 'Catalogues').click()
    await page.getByRole('heading', { name: 'Catalogues', exact: true }).waitFor()
    t.same(await page.evaluate('opened'), ['#/catalogues'])
    await page.close()
  })
})
