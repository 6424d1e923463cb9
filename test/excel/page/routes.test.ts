import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { testApp } from '../../fixtures/app.js'
import { excel } from '../../fixtures/excel/client.js'

const folder = join('dist', 'pages', 'upload')

t.test('the page and its files', async (t) => {
  const { app } = await testApp(t, { CORS_ORIGINS: 'https://one.example,https://two.example' })
  const get = (path: string, headers = {}) => app.inject({ url: `${excel}${path}`, headers })
  const page = await get('/upload')
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
  const named = [...page.body.matchAll(/(?:src|href)="(upload\/[^"]+)"/g)].map(([, name]) => `/${name}`)
  t.equal(named.length, 3)
  for (const name of readdirSync(folder)) {
    const type = types[name.split('.').at(-1) as keyof typeof types]
    const { statusCode, headers, body } = await get(`/upload/${name}`)
    t.match(
      { statusCode, headers },
      { statusCode: 200, headers: { 'content-type': type, 'cache-control': 'no-cache' } }
    )
    t.equal(body, readFileSync(join(folder, name), 'utf8'))
    t.equal((await get(`/upload/${name}`, { 'if-none-match': headers.etag })).statusCode, 304, name)
  }
  for (const name of named) t.equal((await get(name)).statusCode, 200, name)
  for (const path of ['/upload/', '/upload/?a=b']) {
    const { statusCode, headers } = await get(path)
    t.match({ statusCode, headers }, { statusCode: 302, headers: { location: '../upload' } }, path)
  }
  t.equal((await get('/template')).headers['content-security-policy'], undefined)
  t.notMatch((await get('/openapi.json')).body, 'upload/')
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
