import t from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { browserFor, faultsOf, skip } from '../fixtures/browser.js'
import { runDemo } from '../fixtures/run-command.js'
import { freePort, startServer, temporaryFolder } from '../fixtures/server.js'
import { orders } from '../fixtures/world.js'

t.test('the page of an API in a browser', { skip }, async (t) => {
  // The demo gives its data the ids of the examples in an embedded database only.
  const [PORT, DATA_DIR] = [String(await freePort()), `${temporaryFolder(t)}/data`]
  const server = await startServer(t, { DATA_DIR, PORT, EVENT_LOOP_DELAY_LIMIT: '0' })
  await server.ready()
  const origin = server.url
  const { code, output } = await runDemo(t, { PORT, DATA_DIR })
  t.equal(code, 0, output)
  const browser = await browserFor(t)
  const organization = 'https://fhir.example/Organization/aarhus-kommune'
  const token = unsignedToken({
    userType: 'MonitoringResponsible',
    organization,
    name: 'Søren Sygeplejerske'
  })
  const stored = JSON.stringify({
    token: { name: 'token', schema: { type: 'apiKey', in: 'header', name: 'authorization' }, value: token }
  })

  async function open(width: number, authorized?: string) {
    const page = await (await browser.newContext({ viewport: { width, height: 800 } })).newPage()
    if (authorized)
      await page.addInitScript(`localStorage.setItem('authorized', ${JSON.stringify(authorized)})`)
    const faults = faultsOf(page)
    await page.goto(`${origin}${orders}/docs/`)
    const operation = page.locator('.opblock-post:has([data-path="/order"])')
    await operation.locator('.opblock-summary-control').click()
    return { page, operation, faults }
  }

  await t.test('says who the caller is, and leads back to the first page', async (t) => {
    const { page, faults } = await open(1200, stored)
    t.match(
      await page.getByRole('status').innerText(),
      /^You are Søren Sygeplejerske, MonitoringResponsible, aarhus-kommune, until \d/
    )
    await page.getByRole('link', { name: 'SSL backend' }).click()
    t.equal(page.url(), `${origin}/`)
    t.same(faults, [])
    const { page: other } = await open(1200)
    t.match(await other.getByRole('status').innerText(), /^No token/)
  })

  await t.test('creates an order from the example of the body, with the data of the demo', async (t) => {
    const { operation, faults } = await open(1200, stored)
    await operation.locator('.execute').click()
    const live = operation.locator('.live-responses-table')
    await live.waitFor()
    t.match(await live.innerText(), /201[\s\S]*location: .*\/ssl-order\/v1\/order\//)
    t.same(faults, [])
  })

  await t.test('shows the statement of the examples', async (t) => {
    const { operation } = await open(1200, stored)
    const samples = operation.locator('.ssl-sample')
    await samples.first().waitFor()
    t.equal(await samples.count(), 1)
    await samples.locator('summary').click()
    t.match(await samples.locator('pre').innerText(), /await order\.createOrder\(\{[\s\S]*\}\)$/)
  })

  await t.test('shows an error in one line, until it is opened', async (t) => {
    const { operation } = await open(1200, stored)
    const error = operation.locator('.responses-table tr[data-code="422"]')
    t.match(await error.innerText(), /Unprocessable Entity: .*not-white-listed/)
    t.equal(await error.locator('.example').count(), 0)
    await error.getByRole('button').click()
    await error.locator('.example').first().waitFor()
  })

  await t.test('has its parameters below each other on a phone', async (t) => {
    const { page, operation } = await open(360, stored)
    const name = operation.locator('tr[data-param-name="Prefer"]')
    await name.waitFor()
    const [label, input] = await name.locator('td').all()
    const [above, below] = [await label?.boundingBox(), await input?.boundingBox()]
    t.ok(above && below && above.y + above.height <= below.y)
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  })
})
