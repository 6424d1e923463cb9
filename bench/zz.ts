import { startServer, peakOf } from './server.js'
import { devicesWorkbook } from './workbook-of.js'
const size = Number(process.argv[2]); const heap = process.argv[3]
const server = await startServer(3997, { BULK_ITEMS: '60000', UPLOAD_LIMIT: String(64 * 2 ** 20), REQUEST_TIMEOUT: '300000', ...(heap ? { NODE_OPTIONS: `--max-old-space-size=${heap}` } : {}) })
const excel = '/ssl-catalogue-excel/v1'
const formOf = (file: Buffer) => { const form = new FormData(); form.append('file', new Blob([new Uint8Array(file)]), 'c.xlsx'); return form }
await server.call('POST', '/ssl-order/v1/party', JSON.stringify({ allowedRoles: ['SELLER'], name: 'provider', organization: 'https://fhir.example/Organization/bench' }))
let longest = 0, on = true, sum = 0, n = 0
const poll = (async () => { while (on) { const t = performance.now(); await (await fetch(server.url + '/health/live')).text(); const d = performance.now() - t; longest = Math.max(longest, d); sum += d; n++; await new Promise((r) => setTimeout(r, 5)) } })()
const phase = async (name: string, f: () => Promise<unknown>) => { longest = 0; sum = 0; n = 0; const t = performance.now(); const r = await f(); console.log(name, Math.round(performance.now() - t), 'ms; longest wait', Math.round(longest), 'mean', (sum / n).toFixed(1), 'peak MB', peakOf(server.pid)); return r }
const file = await devicesWorkbook(size, 'a')
let loc = ''
await phase('create', async () => { const a = await server.call('POST', `${excel}/catalogue`, formOf(file)); loc = a.headers.get('location') ?? ''; console.log(a.status, (await a.text()).slice(0, 200)) })
const of = `${excel}/catalogue/${loc.split('/').at(-1)}`
let exported = Buffer.alloc(0)
await phase('export', async () => { exported = Buffer.from(await (await server.call('GET', of)).arrayBuffer()) })
await phase('update', async () => { const a = await server.call('PUT', of, formOf(exported)); console.log(a.status, (await a.text()).slice(0, 200)) })
on = false; await poll; await server.stop()
