import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { testApp } from '../../fixtures/app.js'
import { excel } from '../../fixtures/excel/client.js'

const folder = join('dist', 'pages')

t.test('the page and its files', async (t) => {
  const { app } = await testApp(t, { CORS_ORIGINS: 'https://one.example,https://two.example' })
  const get = (url: string, headers = {}) => app.inject({ url, headers })
  const page = await get(`${excel}/upload`)
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  t.equal(
    page.headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self' https://one.example https://two.example"
  )
  t.equal(page.headers['x-frame-options'], undefined)
  t.equal(page.headers['cross-origin-opener-policy'], 'unsafe-none')
  t.equal(page.headers['x-content-type-options'], 'nosniff')
  t.equal(page.headers['referrer-policy'], 'no-referrer')
  t.match(page.body, 'content="https://one.example https://two.example"')
  t.match(page.body, 'content="10485760"')
  t.notMatch(page.body, /\{\{|<style|<script>| style=| on\w+=/)

  const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' }
  const named = [...page.body.matchAll(/(?:src|href)="\.\.\/\.\.(\/pages\/[^"]+)"/g)].map(
    ([, url = '']) => url
  )
  t.equal(named.length, 3)
  for (const name of readdirSync(folder)) {
    const type = types[name.split('.')[1] as keyof typeof types]
    if (type === undefined) continue
    const url = `/pages/${name}`
    const { statusCode, headers, body } = await get(url)
    t.match(
      { statusCode, headers },
      { statusCode: 200, headers: { 'content-type': type, 'cache-control': 'no-cache' } }
    )
    t.equal(body, readFileSync(join(folder, name), 'utf8'))
    t.equal((await get(url, { 'if-none-match': headers.etag })).statusCode, 304, name)
  }
  for (const url of named) t.equal((await get(url)).statusCode, 200, url)
  for (const path of [`${excel}/upload/`, `${excel}/upload/?a=b`]) {
    const { statusCode, headers } = await get(path)
    t.match({ statusCode, headers }, { statusCode: 302, headers: { location: '../upload' } }, path)
  }
  t.equal((await get(`${excel}/template`)).headers['content-security-policy'], undefined)
  t.notMatch((await get(`${excel}/openapi.json`)).body, 'upload/')
})

t.test('the page is in the language of the request', async (t) => {
  const { app } = await testApp(t)
  const get = (query: string, language: string) =>
    app.inject({ url: `${excel}/upload${query}`, headers: { 'accept-language': language } })
  const page = await get('', 'da')
  t.match(page.headers.vary, /accept-language/i)
  t.match(page.body, '<html lang="da">')
  t.match((await get('?language=en', 'da')).body, '<html lang="en">')
})
