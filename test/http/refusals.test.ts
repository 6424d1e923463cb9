import t from 'tap'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import { testApp } from '../fixtures/app.js'
import { refusalErrors } from '../fixtures/routes/refusal.js'
import { listening, type WireResponse, wire } from '../fixtures/wire.js'
import { orders, organization } from '../fixtures/world.js'

const token = unsignedToken({ userType: 'AdministrativeClerk', organization: organization('region') })
const body = JSON.stringify({
  allowedRoles: ['BUYER'],
  name: 'Region',
  organization: organization('region')
})

/** Planted texts that no log line may contain: see `test/fixtures/leaks.ts`. */
const search = '?patient=https%3A%2F%2Ffhir.example%2FPatient%2FZaphod-4711&q=Zaphod-4711'

const get = (head = '', version = 'HTTP/1.1') =>
  `GET /health/live${search} ${version}\r\nhost: x\r\n${head}\r\n`

/** A POST of a party with these header lines, separated by `|`, and this raw body. */
const post = (lines: string, text = body, version = 'HTTP/1.1', url = `${orders}/party`) =>
  `POST ${url} ${version}\r\nhost: x\r\nauthorization: ${token}\r\n${lines.replaceAll('|', '\r\n')}\r\n\r\n${text}`

const json = 'content-type: application/json'
const sized = (lines = json) => `${lines}|content-length: ${body.length}`
const chunked = `${json}|transfer-encoding: chunked`
const oneChunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

type Case = [what: string, sent: string, wanted: string]

const syntax: Case[] = [
  ['nonsense', 'nonsense\r\n\r\n', '400 bad-request'],
  ['an unknown method', 'BREW / HTTP/1.1\r\nhost: x\r\n\r\n', '400 bad-request'],
  ['the start of TLS', '\x16\x03\x01\x00\xa5\x01\x00', '400 bad-request'],
  ['a header without a colon', get('bad header\r\n'), '400 bad-request'],
  ['a folded header', get('x: a\r\n b\r\n'), '400 bad-request'],
  ['a space before the colon', get('x : a\r\n'), '400 bad-request'],
  ['NUL in a header', get('x: a\0b\r\n'), '400 bad-request'],
  ['CR in a request id', get('x-request-id: a\rset-cookie: b\r\n'), '400 bad-request'],
  ['LF as the end of lines', `GET /health/live${search} HTTP/1.1\nhost: x\n\n`, '400 bad-request'],
  ['an undecodable address', 'GET /health/%zz HTTP/1.1\r\nhost: x\r\n\r\n', '400 bad-request'],
  ['a long header', get(`x: ${'x'.repeat(20_000)}\r\n`), '431 headers-too-large'],
  ['a very long header', get(`x: ${'x'.repeat(2_000_000)}\r\n`), '431 headers-too-large'],
  ['a long address', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, '431 headers-too-large'],
  ['more headers than Node keeps', get('a: b\r\n'.repeat(1500)), '431 headers-too-large'],
  ['HTTP/2.0', get('', 'HTTP/2.0'), '505 http-version-not-supported'],
  ['HTTP/0.9', get('', 'HTTP/0.9'), '505 http-version-not-supported'],
  ['HTTP/1.3', get('', 'HTTP/1.3'), '505 http-version-not-supported'],
  ['the start of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '505 http-version-not-supported'],
  ['an incomplete head', `GET /${search} HTTP/1.1\r\nhost: x\r\n`, '400 incomplete-request']
]

const heads: Case[] = [
  ['no Host', `GET /health/live${search} HTTP/1.1\r\n\r\n`, '400 bad-request'],
  ['two Hosts', get('Host: y\r\n'), '400 bad-request'],
  ['the same Host twice', get('HOST: x\r\n'), '400 bad-request'],
  ['two Hosts in HTTP/1.0', get('host: y\r\n', 'HTTP/1.0'), '400 bad-request'],
  ['an invalid Host', 'GET /health/live HTTP/1.1\r\nhost: a/b?c\r\n\r\n', '400 bad-request'],
  ['two Content-Types', post(sized(`${json}|${json}`)), '400 bad-request'],
  ['an unknown expectation', post(`${sized()}|expect: 200-ok`), '417 expectation-failed'],
  ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org\r\n\r\n', '501 not-implemented'],
  ['PROPFIND', 'PROPFIND /health/live HTTP/1.1\r\nhost: x\r\n\r\n', '501 not-implemented'],
  ['QUERY', 'QUERY /health/live HTTP/1.1\r\nhost: x\r\n\r\n', '501 not-implemented']
]

const framing: Case[] = [
  ['both lengths', post(`${chunked}|content-length: ${body.length}`, oneChunk), '400 bad-request'],
  ['both lengths, reversed', post(`${sized()}|transfer-encoding: chunked`), '400 bad-request'],
  ['two lengths', post(`${sized()}|content-length: 3`), '400 bad-request'],
  ['a negative length', post(`${json}|content-length: -1`), '400 bad-request'],
  ['a length with a sign', post(`${json}|content-length: +${body.length}`), '400 bad-request'],
  ['a length of 30 digits', post(`${json}|content-length: ${'9'.repeat(30)}`), '400 bad-request'],
  ['duplicate chunked', post(`${json}|transfer-encoding: chunked, chunked`, oneChunk), '400 bad-request'],
  ['gzip and chunked', post(`${json}|transfer-encoding: gzip, chunked`, oneChunk), '501 not-implemented'],
  ['identity', post(`${json}|transfer-encoding: identity`), '501 not-implemented'],
  ['chunks in HTTP/1.0', post(chunked, oneChunk, 'HTTP/1.0'), '400 bad-request'],
  ['an invalid chunk size', post(chunked, `zz\r\n${oneChunk}`), '400 bad-request'],
  ['a huge chunk', post(chunked, `${'f'.repeat(20)}\r\n`), '400 bad-request'],
  ['a long chunk extension', post(chunked, `2;${'x'.repeat(20_000)}\r\n{}\r\n`), '413 payload-too-large'],
  ['a long trailer', post(chunked, `0\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`), '431 headers-too-large'],
  ['an incomplete body', post(`${json}|content-length: 1000`), '400 incomplete-request'],
  ['an incomplete chunk', post(chunked, oneChunk.slice(0, 20)), '400 incomplete-request'],
  [
    'a broken body of an unknown address',
    post(chunked, 'zz\r\n', 'HTTP/1.1', `/nowhere${search}`),
    '404 not-found'
  ],
  ['a body over the limit', post(`${json}|content-length: 2000000`, ''), '413 payload-too-large']
]

const upload = '/ssl-catalogue-excel/v1/catalogue'
const form = 'content-type: multipart/form-data; boundary=b'
const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\nPK'
const partChunk = `${part.length.toString(16)}\r\n${part}\r\n`

const uploads: Case[] = [
  [
    'a broken chunk',
    post(`${form}|transfer-encoding: chunked`, `${partChunk}zz\r\n`, 'HTTP/1.1', upload),
    '400 bad-request'
  ],
  [
    'an incomplete file in chunks',
    post(`${form}|transfer-encoding: chunked`, partChunk, 'HTTP/1.1', upload),
    '400 incomplete-request'
  ],
  [
    'an incomplete file',
    post(`${form}|content-length: 1000`, part, 'HTTP/1.1', upload),
    '400 incomplete-request'
  ],
  [
    'another charset',
    post(`${form}; charset=utf-16|content-length: ${part.length}`, part, 'HTTP/1.1', upload),
    '415 unsupported-media-type'
  ]
]

const media: Case[] = [
  ...['gzip', 'br', 'GZIP', 'identity, gzip', 'x'].map(
    (each): Case => [each, post(`${sized()}|content-encoding: ${each}`), '415 unsupported-media-type']
  ),
  ...[
    'application/json; charset=utf-16',
    'application/json;CHARSET=ISO-8859-1',
    'application/json; charset="utf-16"',
    'application/json; charset="utf\\-16"',
    'application/json; x="; charset=utf-8"; charset=latin1',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json-patch+json; charset=utf-16',
    'multipart/form-data; boundary=x; charset=utf-16'
  ].map((each): Case => [each, post(sized(`content-type: ${each}`)), '415 unsupported-media-type'])
]

t.test('every refusal has a problem body', async (t) => {
  const { app } = await testApp(t)
  const port = await listening(app)

  /** The responses to a text after which the client half-closes. */
  async function responsesTo(sent: string): Promise<WireResponse[]> {
    const { socket, closed } = wire(t, port)
    socket.end(sent, 'latin1')
    return closed()
  }

  for (const [name, cases] of Object.entries({ syntax, heads, framing, uploads, media }))
    t.test(name, async (t) => {
      for (const [what, sent, wanted] of cases) {
        const [response, ...others] = await responsesTo(sent)
        t.equal(`${response?.status} ${response?.body?.code}`, wanted, what)
        if (!response) continue
        const status = [501, 505].includes(response.status) ? 400 : response.status
        const normalized = { ...response, status, body: { ...response.body, status } }
        t.same(refusalErrors(normalized), [], `${what}: a well-formed problem`)
        t.equal(response.headers['x-request-id'], response.body?.instance, `${what}: the request id`)
        t.equal(response.headers['content-length'], `${response.text.length}`, `${what}: the length`)
        t.match(
          response.headers,
          { 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' },
          what
        )
        t.same(others, [], `${what}: one response`)
      }
    })

  t.test('the valid requests are accepted', async (t) => {
    const right: Case[] = [
      ['HTTP/1.0 without Host', 'GET /health/live HTTP/1.0\r\n\r\n', '200'],
      ['an empty Host', 'GET /health/live HTTP/1.1\r\nhost:\r\n\r\n', '200'],
      ['an IPv6 Host', 'GET /health/live HTTP/1.1\r\nhost: [::1]:3000\r\n\r\n', '200'],
      ['an upgrade, which is ignored', get('connection: upgrade\r\nupgrade: websocket\r\n'), '200'],
      ['h2c, which is ignored', post(`${sized()}|connection: upgrade|upgrade: h2c`), '201'],
      ['an expectation in HTTP/1.0', post(`${sized()}|expect: 200-ok`, body, 'HTTP/1.0'), '201'],
      ['chunks', post(chunked, oneChunk), '201'],
      ['Chunked', post(`${json}|transfer-encoding: Chunked`, oneChunk), '201'],
      ['identity', post(`${sized()}|content-encoding: Identity`), '201'],
      ['an empty content coding', post(`${sized()}|content-encoding:`), '201'],
      ...[
        'charset=utf-8',
        'Charset=UTF-8',
        'charset="utf-8"',
        'charset="U\\TF-8"',
        'charset=utf8',
        'x="; charset=utf-16"'
      ].map((each): Case => [each, post(sized(`${json}; ${each}`)), '201'])
    ]
    for (const [what, sent, wanted] of right) {
      const responses = await responsesTo(sent)
      t.same(
        responses.map(({ status }) => String(status)),
        [wanted],
        what
      )
    }
  })

  t.test('sends 100 Continue only when the body will be read', async (t) => {
    const expecting = `${sized()}|expect: 100-continue`
    const { send, until, socket, closed } = wire(t, port)
    send(post(expecting, ''))
    await until('HTTP/1.1 100 Continue\r\n\r\n')
    socket.end(body)
    t.same(
      (await closed()).map(({ status }) => status),
      [100, 201]
    )
    const refused: Case[] = [
      ['an unknown address', post(expecting, '', 'HTTP/1.1', '/nowhere'), '404'],
      ['too long', post(`${json}|content-length: 2000000|expect: 100-continue`, ''), '413'],
      ['gzip', post(`${expecting}|content-encoding: gzip`, ''), '415']
    ]
    for (const [what, sent, wanted] of refused) {
      const { send, closed } = wire(t, port)
      send(sent)
      const [response, ...others] = await closed()
      t.equal(String(response?.status), wanted, what)
      t.equal(response?.headers.connection, 'close', what)
      t.same(others, [], what)
    }
  })
})
