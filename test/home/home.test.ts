import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogue, orders, world } from '../fixtures/world.js'

const { app } = await testApp(t)
const linksOf = (html: string) => [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url)

t.test('the first page links to the pages of the server, in Danish and English', async (t) => {
  const get = (url: string, language?: string) =>
    app.inject({ url, headers: language === undefined ? {} : { 'accept-language': language } })
  const page = await get('/')
  t.match(page, { statusCode: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
  t.equal(
    page.headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
  )
  t.match(page.headers.vary, /accept-language/i)
  t.notMatch(page.body, /<style|<script>| style=| on\w+=/)
  t.match(
    page.body,
    /<html lang="en">[\s\S]*Sofie Sygeplejerske[\s\S]*Monitoring responsible[\s\S]*Catalogues/
  )
  t.match(
    (await get('/', 'da, en;q=0.5')).body,
    /<html lang="da">[\s\S]*Monitoreringsansvarlig[\s\S]*Kataloger/
  )
  t.match((await get('/?language=da', 'en')).body, '<html lang="da">')
  t.equal((await get('/?language=fr')).statusCode, 400)
  t.match(
    (await get('/?lang=da')).json().detail,
    /lang is unknown\. This URL has the query parameter language\./
  )
  const links = linksOf(page.body)
  for (const api of [orders, catalogue]) t.ok(links.includes(`${api.slice(1)}/docs/`), api)
  for (const url of ['asyncapi.json', 'desk/']) t.ok(links.includes(url), url)
  for (const url of links) {
    t.notMatch(url, /^(\/|[a-z]+:)/, 'relative: it names no address')
    t.equal((await get(`/${url}`)).statusCode, 200, url)
  }
  const unchanged = await app.inject({ url: '/', headers: { 'if-none-match': String(page.headers.etag) } })
  t.equal(unchanged.statusCode, 304)
  t.match(await get('/docs'), { statusCode: 302, headers: { location: './' } })
})

t.test('the tokens of the first page are accepted', async (t) => {
  const response = await app.inject('/home/tokens.json')
  t.equal(response.headers['cache-control'], 'no-store')
  const tokens = response.json()
  t.ok(Object.keys(tokens).length >= 8)
  for (const [person, authorization] of Object.entries<string>(tokens)) {
    const me = await app.inject({ url: `${orders}/me`, headers: { authorization } })
    t.match(me.json(), { organization: /^https:\/\/fhir\.example\/Organization\// }, person)
  }
})

t.test('without data the first page says where the data comes from', async (t) => {
  const { app, as } = await testApp(t)
  const page = async () => {
    const { body, headers } = await app.inject({ url: '/', headers: { 'accept-language': 'da' } })
    t.match(headers.vary, /accept-language/i)
    return body
  }
  t.match(await page(), /ingen data[^<]*npm run demo/)
  await world({ as })
  t.notMatch(await page(), 'npm run demo')
})

t.test('an unknown path is a page with a link to the first page', async (t) => {
  const open = (url: string, accept = 'text/html,*/*;q=0.8') =>
    app.inject({ url, headers: { accept, 'accept-language': 'da' } })
  for (const [url, home] of [
    ['/nowhere', './'],
    ['/desk/orders/nowhere?q=1', '../../'],
    ['/problems/nothing', '../'],
    ['/x'.repeat(20), '../'.repeat(19)]
  ] as const) {
    const page = await open(url)
    t.match(page, { statusCode: 404, headers: { 'content-type': 'text/html; charset=utf-8' } })
    t.match(page.headers, {
      vary: /^Accept, Accept-Language$/,
      'content-security-policy': /^default-src 'none'/
    })
    t.match(page.body, /<html lang="da">[\s\S]*Stien findes ikke/)
    t.ok(linksOf(page.body).includes(home), url)
  }
  for (const response of [
    await open('/nowhere', '*/*'),
    await open(`${orders}/nowhere`),
    await open('/problems/nothing', 'application/json'),
    await open('/'.repeat(21))
  ])
    t.match(response.json(), { status: 404, code: 'not-found', detail: /^Stien findes ikke/ })
})
