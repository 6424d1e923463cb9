import t from 'tap'
import { defaultLimits } from '../../src/xlsx/format/limits.js'
import { testApp } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { clockOf } from '../fixtures/clock.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, xlsx } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { handMade } from '../fixtures/excel/workbook.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { wire } from '../fixtures/wire.js'
import { world } from '../fixtures/world.js'

const { Devices: device } = rowFor
const boundary = 'x-boundary'
const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` }
const part = (file: Buffer | string, name = 'file', filename: string | null = 'a.xlsx') =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${filename === null ? '' : `; filename="${filename}"`}\r\n\r\n`
    ),
    Buffer.from(file),
    Buffer.from('\r\n')
  ])
const end = Buffer.from(`--${boundary}--\r\n`)
const whole = (...parts: Buffer[]) => Buffer.concat([...parts, end])

const bomb = handMade({ sheets: ['<row><c><v>1</v></c></row>'.repeat(100_000)] })
/** The start of an encrypted Office document: a container of streams, one of them with this name. */
const encrypted = Buffer.concat([
  Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  Buffer.alloc(504),
  Buffer.from('EncryptedPackage', 'utf16le'),
  Buffer.alloc(512)
])

// A client may continue to send a rejected upload for the time limit of a request.
const env = { REQUEST_TIMEOUT: '30000' }
const limits = {
  workbook: { ...defaultLimits, fileBytes: 40_000, unpackedBytes: 2_000_000, timeoutMs: 240_000 }
}

const sent = (what: string, body: Buffer, expected: string, headers: Record<string, string> = multipart) => ({
  what,
  body,
  expected,
  headers
})

const cases = (good: Buffer) => [
  sent('no part at all', end, '400 no-file'),
  sent('an empty body', Buffer.alloc(0), '400 no-file'),
  sent('two files', whole(part(good), part(good)), '400 several-files'),
  sent('another field before it', whole(part('yes', 'dryRun', null), part(good)), '400 malformed-upload'),
  sent('a field of another name', whole(part(good, 'workbook')), '400 malformed-upload'),
  sent('a text, not a file', whole(part('x', 'file', null)), '400 malformed-upload'),
  sent('the end is missing', part(good), '400 malformed-upload'),
  sent('another boundary', whole(part(good)).subarray(3), '400 no-file'),
  sent('no boundary', whole(part(good)), '400 malformed-upload', { 'content-type': 'multipart/form-data' }),
  sent('the file itself', good, '415 unsupported-media-type', { 'content-type': xlsx }),
  sent('JSON', Buffer.from('{}'), '415 unsupported-media-type', { 'content-type': 'application/json' }),
  sent('an empty file', whole(part('')), '400 empty-file'),
  sent('half a zip', whole(part(good.subarray(0, 2000))), '400 damaged'),
  sent('csv', whole(part('a;b\n1;2\n')), '415 is-csv'),
  sent('a password', whole(part(encrypted)), '422 encrypted'),
  sent('a large file', whole(part(Buffer.alloc(40_001, 'x'))), '413 file-too-large'),
  sent('a much larger file', whole(part(Buffer.alloc(3_000_000, 'x'))), '413 file-too-large'),
  sent('a bomb', whole(part(bomb)), '413 unpacked-too-large')
]

t.test('uploads over the wire', async (t) => {
  const app = await testApp(t, env, undefined, { limits })
  await world(app)
  const url = await app.app.listen({ port: 0, host: '127.0.0.1' })
  const authorization = tokenOf('AdministrativeClerk')
  const good = await workbookOf(sheetsWith({ Devices: [device('N-1')] }))
  const before = await contentOf(app.sql)
  const send = (body: Buffer, headers: Record<string, string>, query = '') =>
    fetch(`${url}${excel}/catalogue${query}`, {
      method: 'POST',
      headers: { ...headers, authorization },
      body: new Uint8Array(body)
    })

  t.test('an invalid upload is rejected with a remedy', async (t) => {
    for (const { what, body, expected, headers } of cases(good)) {
      const response = await send(body, headers)
      const { code, detail } = (await response.json()) as { code: string; detail: string }
      t.equal(`${response.status} ${code}`, expected, what)
      t.match(detail, /^[A-Z].{20,}\.\)?$/s, what)
    }
    t.same(await contentOf(app.sql), before, 'nothing is written')
    t.equal((await send(whole(part(good)), multipart, '?dryRun=true')).status, 200, 'a good one is taken')
  })

  t.test('a connection stays usable after an error response, also much later', async (t) => {
    const clock = clockOf(t)
    const limit = 240_000
    const { app: quick } = await testApp(t, { REQUEST_TIMEOUT: `${limit}` }, undefined, { limits })
    const { port } = new URL(await quick.listen({ port: 0, host: '127.0.0.1' }))
    const some = 'no boundary,the file itself,JSON,a field of another name,two files,a large file,csv'.split(
      ','
    )
    const chosen = cases(good).filter(({ what }) => some.includes(what))
    const refused = chosen.map(async ({ what, body, expected, headers }) => {
      const connection = wire(t, Number(port))
      const length = { 'content-length': String(body.length) }
      connection.send(head(`POST ${excel}/catalogue`, { ...headers, ...length, authorization }))
      connection.send(body)
      await connection.until(/HTTP\/1\.1 \d/)
      connection.send(head('GET /health/live', {}))
      await connection.until(/(HTTP\/1\.1 \d[\s\S]*){2}/)
      return { what, expected, connection }
    })
    const connections = await Promise.all(refused)
    // Longer than the time limit of a request.
    clock.pass(limit * 2)
    for (const { what, expected, connection } of connections) {
      connection.send(head('GET /health/live', { connection: 'close' }))
      const statuses = (await connection.closed()).map(({ status }) => `${status}`)
      t.same(statuses, [expected.slice(0, 3), '200', '200'], what)
    }
  })

  t.test('the server survives clients that disconnect during an upload', async (t) => {
    const clients = Array.from({ length: 10 }, () => wire(t, Number(new URL(url).port)))
    for (const { send } of clients) {
      send(head(`POST ${excel}/catalogue`, { ...multipart, authorization, 'content-length': '30000' }))
      send(part(good).subarray(0, 3000))
    }
    t.equal((await send(whole(part(good)), multipart, '?dryRun=true')).status, 200)
    for (const { socket } of clients) socket.destroy()
    t.equal((await fetch(`${url}/health/ready`)).status, 200)
    t.same(await contentOf(app.sql), before, 'nothing is written')
  })
})

const head = (line: string, headers: Record<string, string>) =>
  `${line} HTTP/1.1\r\nhost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
