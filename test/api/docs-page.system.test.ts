import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { testApp } from '../fixtures/app.js'
import { browserFor, faultsOf, skip } from '../fixtures/browser.js'
import { party } from '../fixtures/routes/bodies.js'
import { orders, organization } from '../fixtures/world.js'

/**
 * The documentation pages in a real browser: they load under their own policy and call the server
 * they came from.
 */

const token = unsignedToken({ userType: 'AdministrativeClerk', organization: organization('region') })

t.test('the documentation pages', { skip }, async (t) => {
  const { app, as } = await testApp(t)
  await as('AdministrativeClerk').create(`${orders}/party`, party('region'))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const browser = await browserFor(t)

  for (const host of ['127.0.0.1', 'localhost'])
    await t.test(`call operations with a token, as ${host}`, async (t) => {
      const page = await browser.newPage({ viewport: { width: 1200, height: 1400 } })
      const faults = faultsOf(page)
      await page.goto(`http://${host}:${port}${orders}/docs`)
      await authorize(page, token)
      const response = await execute(page, '/parties')
      t.equal(response.status, '200')
      t.match(response.body, '"allowedRoles"')
      t.match(response.url, `http://${host}:${port}${orders}/parties`)
      t.same(faults, [], 'the policy refuses nothing, and nothing is missing')
      await page.close()
    })
})

async function authorize(page: Page, value: string): Promise<void> {
  await page.locator('.auth-wrapper .btn.authorize').click()
  await page.locator('.auth-container input').fill(value)
  await page.locator('.auth-container .btn.authorize').click()
  await page.locator('.auth-container .btn-done').click()
}

/** Calls a GET on the page and returns the shown response. */
async function execute(page: Page, path: string) {
  const operation = page.locator(`.opblock-get:has([data-path="${path}"])`)
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('.execute').click()
  const live = operation.locator('.live-responses-table')
  await live.waitFor()
  return {
    status: (await live.locator('tbody .response-col_status').innerText()).trim(),
    body: await live.locator('tbody .highlight-code').first().innerText(),
    url: await operation.locator('.request-url').innerText()
  }
}
