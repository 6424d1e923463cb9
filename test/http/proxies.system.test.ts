import { readFileSync } from 'node:fs'
import { createServer, request, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { proxies, startProxy } from '../fixtures/rolling/proxies.js'
import { serve } from '../fixtures/serve.js'
import { orders, pathOf } from '../fixtures/world.js'

/** The head of a response to a client that accepts gzip. */
const headOf = (url: string, headers: Record<string, string> = {}) =>
  new Promise<Record<string, unknown>>((resolve, reject) =>
    request(url, { headers: { 'accept-encoding': 'gzip', ...headers } }, (response) => {
      response.resume().on('end', () => resolve({ status: response.statusCode, ...response.headers }))
    })
      .on('error', reject)
      .end()
  )

const { haproxy, nginx } = proxies

for (const [name, proxy] of Object.entries(proxies))
  t.test(`${name} compresses pages, and no response of an API`, { skip: proxy.skip }, async (t) => {
    const { app, w } = await testWorld(t)
    const order = pathOf(await w.createDraft())
    const token = tokenOf('MonitoringResponsible')
    const { port } = new URL(await app.app.listen({ host: '127.0.0.1', port: 0 }))
    const url = await startProxy(t, proxy, Array(4).fill(Number(port)))

    for (const path of ['/', '/desk/', '/pages/desk.js', '/pages/style.css']) {
      const head = await headOf(url + path)
      t.match(head, { status: 200, 'content-encoding': 'gzip', vary: /accept-encoding/i }, path)
      const again = await headOf(url + path, { 'if-none-match': String(head.etag ?? '') })
      if (head.etag !== undefined) t.equal(again.status, 304, path)
    }
    for (const path of [order, `${orders}/orders`, `${orders}/openapi.json`]) {
      const head = await headOf(url + path, { authorization: token })
      t.match(head, { status: 200, 'content-encoding': undefined, etag: /^"/ }, path)
    }
  })

t.test('haproxy limits the requests of each instance at a time', async (t) => {
  const file = readFileSync(haproxy.file, 'utf8')
  const [, defaults = ''] = /^ *default-server (.*)$/m.exec(file) ?? []
  const limit = Number(/\bmaxconn (\d+)/.exec(defaults)?.[1])
  const ofProcess = Number(/^ *maxconn (\d+)$/m.exec(file)?.[1])
  const instances = file.match(/^ *server instance/gm)?.length ?? 0
  t.ok(limit * instances <= ofProcess, `${instances} times ${limit}, and ${ofProcess} in all`)
})

t.test('nginx accepts TLS 1.2 and newer', async (t) => {
  const [, versions] = /^ *ssl_protocols (.*);$/m.exec(readFileSync(nginx.file, 'utf8')) ?? []
  t.equal(versions, 'TLSv1.2 TLSv1.3')
})

t.test('nginx limits the requests of an address at a time', { skip: nginx.skip }, async (t) => {
  const limit = Number(/limit_conn \w+ (\d+);/.exec(readFileSync(nginx.file, 'utf8'))?.[1])
  const held: ServerResponse[] = []
  const server = createServer(({ url }, response) => {
    if (url === '/held') held.push(response)
    else response.end()
  })
  const url = await startProxy(t, nginx, Array(4).fill(await serve(t, server)))

  const inFlight = Array.from({ length: limit }, () => headOf(`${url}/held`))
  while (held.length < limit) await pause(20)
  t.match(await headOf(`${url}/`), { status: 429 })
  for (const response of held) response.end()
  for (const head of await Promise.all(inFlight)) t.match(head, { status: 200 })
  t.match(await headOf(`${url}/`), { status: 200 })
})
