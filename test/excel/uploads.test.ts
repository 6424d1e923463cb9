import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import { testApp } from '../fixtures/app.js'
import { clockOf } from '../fixtures/clock.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, upload, xlsx } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { sample } from '../fixtures/excel/reading.js'
import { handMade, sheetXml } from '../fixtures/excel/workbook.js'
import { repeated } from '../fixtures/excel/zip.js'
import { catalogue, organization, pathOf, world } from '../fixtures/world.js'

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

const bomb = handMade({
  sheets: [
    {
      xml: repeated(
        sheetXml('').replace('</sheetData></worksheet>', ''),
        '<row><c><v>1</v></c></row>'.repeat(1000),
        200,
        '</sheetData></worksheet>'
      )
    }
  ]
})
/** How an Office document begins that is encrypted, or is an old one: a container of streams, one of which is named so. */
const encrypted = Buffer.concat([
  Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  Buffer.alloc(504),
  Buffer.from('EncryptedPackage', 'utf16le'),
  Buffer.alloc(512)
])

// What is refused before it has come whole may be sent for the time of a request: it is waited for here.
const limits = { UPLOAD_LIMIT: '40000', UNPACKED_LIMIT: '2000000', REQUEST_TIMEOUT: '30000' }

type Case = [what: string, body: Buffer, wanted: string, headers?: Record<string, string>]
const cases = (good: Buffer): Case[] => [
  ['no part at all', end, '400 no-file'],
  ['an empty body', Buffer.alloc(0), '400 no-file'],
  ['two files', whole(part(good), part(good)), '400 several-files'],
  ['three files', whole(part(good), part(good), part(good)), '400 several-files'],
  ['another field beside it', whole(part(good), part('yes', 'dryRun', null)), '400 malformed-upload'],
  ['another field before it', whole(part('yes', 'dryRun', null), part(good)), '400 malformed-upload'],
  [
    'many fields',
    whole(...Array.from({ length: 50 }, (_, at) => part('x', `f${at}`, null))),
    '400 malformed-upload'
  ],
  ['a field of another name', whole(part(good, 'workbook')), '400 malformed-upload'],
  ['a text instead of a file', whole(part('x', 'file', null)), '400 malformed-upload'],
  ['the end is missing', part(good), '400 malformed-upload'],
  ['it ends in the middle', part(good).subarray(0, 700), '400 malformed-upload'],
  ['another boundary', whole(part(good)).subarray(3), '400 no-file'],
  ['no boundary', whole(part(good)), '400 malformed-upload', { 'content-type': 'multipart/form-data' }],
  ['the file itself', good, '415 unsupported-media-type', { 'content-type': xlsx }],
  ['JSON', Buffer.from('{}'), '415 unsupported-media-type', { 'content-type': 'application/json' }],
  [
    'a form of another kind',
    Buffer.from('file=x'),
    '415 unsupported-media-type',
    { 'content-type': 'application/x-www-form-urlencoded' }
  ],
  ['no media type', good, '415 unsupported-media-type', { 'content-type': '' }],
  ['an empty file', whole(part('')), '400 empty-file'],
  ['not a zip', whole(part(Buffer.from('89504e470d0a1a0a0000000d', 'hex'))), '415 not-a-workbook'],
  ['half a zip', whole(part(good.subarray(0, 2000))), '400 damaged'],
  ['csv', whole(part(sample('other.csv'))), '415 is-csv'],
  ['ods', whole(part(sample('other.ods'))), '415 is-ods'],
  ['xls', whole(part(sample('other.xls'))), '415 is-xls'],
  ['a password', whole(part(encrypted)), '422 encrypted'],
  ['a large file', whole(part(Buffer.alloc(40_001, 'x'))), '413 file-too-large'],
  ['a much larger file', whole(part(Buffer.alloc(3_000_000, 'x'))), '413 file-too-large'],
  ['a bomb', whole(part(bomb)), '413 unpacked-too-large']
]

t.test('uploads over the wire', async (t) => {
  const app = await testApp(t, limits)
  const { clerk } = await world(app)
  const url = await app.app.listen({ port: 0, host: '127.0.0.1' })
  const authorization = unsignedToken({
    userType: 'AdministrativeClerk',
    organization: organization('region')
  })
  const good = await workbookOf(sheetsWith({ Devices: [device('N-1')] }))
  const before = await rowsIn(app.sql)
  const send = (body: Buffer, headers: Record<string, string>, query = '') =>
    fetch(`${url}${excel}/catalogue${query}`, {
      method: 'POST',
      headers: { ...headers, authorization },
      body: new Uint8Array(body)
    })

  t.test('what is no workbook is refused with what to do', async (t) => {
    for (const [what, body, wanted, headers = multipart] of cases(good)) {
      const response = await send(body, headers)
      const { code, detail } = (await response.json()) as { code: string; detail: string }
      t.equal(`${response.status} ${code}`, wanted, what)
      t.match(detail, /^[A-Z].{20,}\.\)?$/s, what)
    }
    t.same(await rowsIn(app.sql), before, 'nothing is written')
    t.equal((await send(whole(part(good)), multipart, '?dryRun=true')).status, 200, 'a good one is taken')
  })

  t.test('a connection is of use after a refusal, and stays so', async (t) => {
    const clock = clockOf(t)
    const limit = 240_000
    const { app: quick } = await testApp(t, { ...limits, REQUEST_TIMEOUT: `${limit}` })
    const { port } = new URL(await quick.listen({ port: 0, host: '127.0.0.1' }))
    const some = [
      'no boundary',
      'the file itself',
      'JSON',
      'a field of another name',
      'two files',
      'a large file',
      'csv'
    ]
    const chosen = cases(good).filter(([what]) => some.includes(what))
    const refused = chosen.map(async ([what, body, wanted, headers = multipart]) => {
      const socket = connect(Number(port), '127.0.0.1')
      const told = heard(socket)
      const length = { 'content-length': String(body.length) }
      socket.write(head(`POST ${excel}/catalogue`, { ...headers, ...length, authorization }))
      socket.write(body)
      await told.until(1)
      socket.write(head('GET /health/live', {}))
      await told.until(2)
      return { what, wanted, socket, told }
    })
    const connections = await Promise.all(refused)
    // Longer than a request may take.
    clock.pass(limit * 2)
    for (const { what, wanted, socket, told } of connections) {
      socket.write(head('GET /health/live', {}))
      t.same(await told.until(3), [wanted.slice(0, 3), '200', '200'], what)
      socket.destroy()
    }
  })

  t.test(
    'who goes away in the middle of an upload does no harm, and others are served meanwhile',
    async (t) => {
      const sockets = Array.from({ length: 10 }, () => connect(Number(new URL(url).port), '127.0.0.1'))
      for (const socket of sockets) {
        await once(socket, 'connect')
        socket.write(
          head(`POST ${excel}/catalogue`, { ...multipart, authorization, 'content-length': '30000' })
        )
        socket.write(part(good).subarray(0, 3000))
      }
      t.equal((await send(whole(part(good)), multipart, '?dryRun=true')).status, 200)
      for (const socket of sockets) socket.destroy()
      t.equal((await fetch(`${url}/health/ready`)).status, 200)
      t.same(await rowsIn(app.sql), before, 'nothing is written')
    }
  )

  t.test('others are served while workbooks are read', async (t) => {
    const uploads = [whole(part(bomb)), whole(part(good))].map((body) =>
      send(body, multipart, '?dryRun=true')
    )
    let served = 0
    let isDone = false
    const all = Promise.all(uploads).finally(() => {
      isDone = true
    })
    while (!isDone) {
      t.equal((await fetch(`${url}/health/live`)).status, 200)
      served++
    }
    t.same(
      (await all).map(({ status }) => status),
      [413, 200]
    )
    t.ok(served > 1, `${served} others`)
  })

  t.test('uploads to one catalogue, and changes of its items, take effect one after the other', async (t) => {
    const made = await upload(clerk, 'POST', '/catalogue', good)
    const list = made.headers.location ?? ''
    const path = `/catalogue/${list.split('/').at(-1)}`
    const numbers = Array.from({ length: 40 }, (_, at) => `N-${at}`)
    const bookOf = (word: string) =>
      workbookOf(
        sheetsWith({
          Catalogue: [rowFor.Catalogue({ Name: word })],
          Devices: numbers.map((value) => device(value, { Name: word }))
        })
      )
    const [red, blue] = [await bookOf('red'), await bookOf('blue')]
    const items = async () =>
      (await clerk.get(`${catalogue}/catalogue-items?catalogue=${encodeURIComponent(list)}`, 200)).body
    const [{ id }] = await items()
    const item = pathOf(`${list.replace(/catalogue\/[^/]*$/, 'catalogue-item/')}${id}`)
    const { annotations: _, ...whole } = (await clerk.get(item, 200)).body
    for (let round = 0; round < 3; round++) {
      const responses = await Promise.all([
        upload(clerk, 'PUT', path, red),
        upload(clerk, 'PUT', path, blue),
        clerk.put(item, { ...whole, version: `v${round}` })
      ])
      const fine = responses.map(({ status }) => [200, 204, 409, 503].includes(status))
      t.same(fine, [true, true, true], JSON.stringify(responses.map(({ status, body }) => [status, body])))
      t.ok(responses.slice(0, 2).some(({ status }) => status === 200))
      const found = await items()
      t.equal(found.length, numbers.length, 'no item is made twice')
      const names = new Set(
        found.filter((each: { id: string }) => each.id !== id).map(({ name }: { name: string }) => name)
      )
      t.same([...names], [(await clerk.get(pathOf(list), 200)).body.name], 'all of one workbook')
    }
    const { count } =
      (
        await app.sql`select count(*)::int from item_identifiers where catalogue_id = ${path.split('/').at(-1) ?? ''}`
      )[0] ?? {}
    t.equal(count, numbers.length)
  })
})

const head = (line: string, headers: Record<string, string>) =>
  `${line} HTTP/1.1\r\nhost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

/** The statuses that come over a connection. */
function heard(socket: Socket) {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  return {
    async until(count: number) {
      while (statuses().length < count && !socket.closed)
        await Promise.race([once(socket, 'data'), once(socket, 'close')])
      return statuses()
    }
  }
}
