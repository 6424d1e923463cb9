import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { testApp } from '../../fixtures/app.js'
import { excel } from '../../fixtures/excel/client.js'

const folder = join('src', 'excel', 'page')

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
  t.equal(named.length, 4)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  t.ok(files.some(({ parentPath }) => parentPath !== folder))
  for (const { name: file, parentPath } of files) {
    const type = types[file.split('.').at(-1) as keyof typeof types]
    const name = basename(parentPath) === 'views' ? `views/${file}` : file
    const { statusCode, headers, body } = await get(`/upload/${name}`)
    if (type === undefined) {
      t.equal(statusCode, 404, name)
      continue
    }
    t.match(
      { statusCode, headers },
      { statusCode: 200, headers: { 'content-type': type, 'cache-control': 'no-cache' } }
    )
    t.equal(body, readFileSync(join(parentPath, file), 'utf8'))
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

t.test('the texts of the page', async (t) => {
  const { texts } = await import(join(process.cwd(), folder, 'scripts', 'texts.js'))
  const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join()
  for (const [key, { en, da }] of Object.entries<Record<string, string | Record<string, string>>>(texts)) {
    t.same(typeof en, typeof da, key)
    const forms = (text: typeof en) => (typeof text === 'string' ? [text] : [text?.other ?? ''])
    for (const [at, text] of forms(en).entries()) {
      t.ok(text.length > 0 && forms(da)[at], key)
      t.equal(placeholders(text), placeholders(forms(da)[at] ?? ''), key)
    }
  }
})
