import t from 'tap'
import { browserFor, collectPageErrors, eventually, skipBrowser } from '../fixtures/browser.js'
import { tokenOf } from '../fixtures/callers.js'
import { freePort, readyServer, temporaryFolder } from '../fixtures/server.js'
import { orders } from '../fixtures/world.js'

t.test('the page of an API calls it with the stored token', { skip: skipBrowser }, async (t) => {
  const [PORT, DATA_DIR] = [String(await freePort()), `${temporaryFolder(t)}/data`]
  const server = await readyServer(t, { DATA_DIR, PORT, EVENT_LOOP_DELAY_LIMIT: '0' })
  const browser = await browserFor(t)
  const value = tokenOf('MonitoringResponsible', 'aarhus-kommune')
  const stored = JSON.stringify({
    token: { name: 'token', schema: { type: 'apiKey', in: 'header', name: 'authorization' }, value }
  })
  const page = await (await browser.newContext()).newPage()
  await page.addInitScript(`localStorage.setItem('authorized', ${JSON.stringify(stored)})`)
  const faults = collectPageErrors(page)
  await page.goto(`${server.url}${orders}/docs/`)
  const operation = page.locator('.opblock-get:has([data-path="/me"])')
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('.execute').click()
  const live = operation.locator('.live-responses-table')
  await eventually(t, () => live.innerText(), /200[\s\S]*"userType": "MonitoringResponsible"/)
  t.same(faults, [])
})
