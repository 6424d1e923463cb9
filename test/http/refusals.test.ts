import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { testApp, verifyingTokens } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { problemViolations } from '../fixtures/routes/refusal.js'
import { listenOnLoopback, type WireResponse, wire } from '../fixtures/wire.js'
import { orders, party } from '../fixtures/world.js'

const token = tokenOf('AdministrativeClerk')
const body = JSON.stringify(party('region', 'BUYER'))

/** Planted texts that no log line may contain: see `test/fixtures/leaks.ts`. */
const search = '?patient=https%3A%2F%2Ffhir.example%2FPatient%2FZaphod-4711&q=Zaphod-4711'

const get = (head = '', version = 'HTTP/1.1') =>
  `GET /health/live${search} ${version}\r\nhost: localhost\r\n${head}\r\n`

/** A POST of a party with these header lines, separated by `|`, and this raw body. */
const post = (lines: string, text = body, version = 'HTTP/1.1', url = `${orders}/party`) =>
  `POST ${url} ${version}\r\nhost: localhost\r\nauthorization: ${token}\r\n${lines.replaceAll('|', '\r\n')}\r\n\r\n${text}`

const json = 'content-type: application/json'
const sized = (lines = json) => `${lines}|content-length: ${body.length}`
const chunked = `${json}|transfer-encoding: chunked`
const oneChunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

const upload = '/ssl-catalogue-excel/v1/catalogue'
const form = 'content-type: multipart/form-data; boundary=b'
const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\nPK'
const uploading = (lines: string, text: string) => post(lines, text, 'HTTP/1.1', upload)
const partChunk = `${part.length.toString(16)}\r\n${part}\r\n`

const each = (values: readonly string[], request: (value: string) => string) =>
  Object.fromEntries(values.map((value) => [value, request(value)]))

/** Requests, grouped by their outcome. */
const refused: Record<string, Record<string, string>> = {
  '400 bad-request': {
    nonsense: 'nonsense\r\n\r\n',
    'an unknown method': 'BREW / HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'the start of TLS': '\x16\x03\x01\x00\xa5\x01\x00',
    'a header without a colon': get('bad header\r\n'),
    'NUL in a header': get('x: a\0b\r\n'),
    'CR in a request id': get('x-request-id: a\rset-cookie: b\r\n'),
    'an undecodable address': 'GET /health/%zz HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'no Host': `GET /health/live${search} HTTP/1.1\r\n\r\n`,
    'two Hosts': get('Host: y\r\n'),
    'two Hosts in HTTP/1.0': get('host: y\r\n', 'HTTP/1.0'),
    'an invalid Host': 'GET /health/live HTTP/1.1\r\nhost: a/b?c\r\n\r\n',
    'two Content-Types': post(sized(`${json}|${json}`)),
    'both lengths': post(`${chunked}|content-length: ${body.length}`, oneChunk),
    'a length of 30 digits': post(`${json}|content-length: ${'9'.repeat(30)}`),
    'an invalid chunk size': post(chunked, `zz\r\n${oneChunk}`),
    'a broken body of an unknown address': post(chunked, 'zz\r\n', 'HTTP/1.1', `/nowhere${search}`),
    'an upload with a broken chunk': uploading(`${form}|transfer-encoding: chunked`, `${partChunk}zz\r\n`)
  },
  '431 headers-too-large': {
    'a long header': get(`x: ${'x'.repeat(20_000)}\r\n`),
    'a long address': `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    'more headers than Node keeps': get('a: b\r\n'.repeat(1500)),
    'a long trailer': post(chunked, `0\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`)
  },
  '505 http-version-not-supported': {
    'HTTP/2.0': get('', 'HTTP/2.0'),
    'the start of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
  },
  '400 incomplete-request': {
    'an incomplete head': `GET /${search} HTTP/1.1\r\nhost: localhost\r\n`,
    'an incomplete body': post(`${json}|content-length: 1000`),
    'an incomplete chunk': post(chunked, oneChunk.slice(0, 20)),
    'an upload with an incomplete file in chunks': uploading(`${form}|transfer-encoding: chunked`, partChunk),
    'an upload with an incomplete file': uploading(`${form}|content-length: 1000`, part)
  },
  '421 misdirected-request': {
    'a foreign Host': 'GET /health/live HTTP/1.1\r\nhost: rebound.example:3000\r\n\r\n'
  },
  '417 expectation-failed': {
    'an unknown expectation': post(`${sized()}|expect: 200-ok`)
  },
  '501 not-implemented': {
    PROPFIND: 'PROPFIND /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n',
    QUERY: 'QUERY /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'gzip and chunked': post(`${json}|transfer-encoding: gzip, chunked`, oneChunk)
  },
  '413 payload-too-large': {
    'a long chunk extension': post(chunked, `2;${'x'.repeat(20_000)}\r\n{}\r\n`),
    'a body over the limit': post(`${json}|content-length: 2000000`, '')
  },
  '415 unsupported-media-type': {
    'an upload with another charset': uploading(
      `${form}; charset=utf-16|content-length: ${part.length}`,
      part
    ),
    ...each(['GZIP', 'identity, gzip'], (coding) => post(`${sized()}|content-encoding: ${coding}`)),
    ...each(
      [
        'application/json; charset=utf-16',
        'application/json; charset="utf\\-16"',
        'application/json; x="; charset=utf-8"; charset=latin1',
        'application/json-patch+json; charset=utf-16',
        'multipart/form-data; boundary=x; charset=utf-16'
      ],
      (type) => post(sized(`content-type: ${type}`))
    )
  }
}

t.test('every error response has a problem body', async (t) => {
  const { app } = await testApp(t)
  const port = await listenOnLoopback(app)

  /**
   * The responses to a text. The client closes the connection after the text: at once, or after a
   * response.
   */
  async function responsesTo(sent: string, isIncomplete: boolean): Promise<WireResponse[]> {
    const { socket, until, closed } = wire(t, port)
    socket.write(sent, 'latin1')
    if (!isIncomplete) await until(/\r\n\r\n.*\}$|content-length: 0\r\n[\s\S]*\r\n\r\n$/)
    socket.end()
    return closed()
  }

  for (const [wanted, requests] of Object.entries(refused))
    t.test(wanted, async (t) => {
      for (const [what, request] of Object.entries(requests)) {
        const [response, ...others] = await responsesTo(request, wanted.endsWith('incomplete-request'))
        t.equal(`${response?.status} ${response?.body?.code}`, wanted, what)
        if (!response) continue
        const status = [501, 505].includes(response.status) ? 400 : response.status
        const normalized = { ...response, status, body: { ...response.body, status } }
        t.same(problemViolations(normalized), [], `${what}: a well-formed problem`)
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
    const accepted: Record<string, Record<string, string>> = {
      '200': {
        'HTTP/1.0 without Host': 'GET /health/live HTTP/1.0\r\n\r\n',
        'an empty Host': 'GET /health/live HTTP/1.1\r\nhost:\r\n\r\n',
        'an IPv6 Host': 'GET /health/live HTTP/1.1\r\nhost: [::1]:3000\r\n\r\n',
        'an upgrade, which is ignored': get('connection: upgrade\r\nupgrade: websocket\r\n')
      },
      '201': {
        'h2c, which is ignored': post(`${sized()}|connection: upgrade|upgrade: h2c`),
        'an expectation in HTTP/1.0': post(`${sized()}|expect: 200-ok`, body, 'HTTP/1.0'),
        chunks: post(chunked, oneChunk),
        Chunked: post(`${json}|transfer-encoding: Chunked`, oneChunk),
        identity: post(`${sized()}|content-encoding: Identity`),
        'an empty content coding': post(`${sized()}|content-encoding:`),
        ...each(
          ['charset=utf-8', 'Charset=UTF-8', 'charset="U\\TF-8"', 'x="; charset=utf-16"'],
          (parameter) => post(sized(`${json}; ${parameter}`))
        )
      }
    }
    for (const [wanted, requests] of Object.entries(accepted))
      for (const [what, request] of Object.entries(requests)) {
        const responses = await responsesTo(request, false)
        t.same(
          responses.map(({ status }) => String(status)),
          [wanted],
          what
        )
      }
  })

  t.test('a client that expects 100 Continue gets it, and the response', async (t) => {
    const { send, until, socket, statuses } = wire(t, port)
    send(post(`${sized()}|expect: 100-continue`, ''))
    await until('HTTP/1.1 100 Continue\r\n\r\n')
    send(body)
    await until('201')
    socket.end()
    t.same(await statuses(), [100, 201])
  })
})

t.test('a server that accepts unsigned tokens responds only at its host names', async (t) => {
  const authorization = tokenOf('MonitoringResponsible')
  const isAnswered = async (app: FastifyInstance, host: string, url = '/health/live') => {
    const headers = { host, authorization, accept: 'text/event-stream' }
    const response = await app.inject({ url, headers, payloadAsStream: true })
    // A stream of events only ends when its client closes it.
    if (response.statusCode !== 421) return Boolean(response.stream().destroy())
    t.equal(JSON.parse(await text(response.stream())).code, 'misdirected-request')
    return false
  }
  const foreign = [
    'rebound.example',
    'rebound.example:3000',
    'localhost.rebound.example',
    '127.0.0.1.nip.io',
    'ssl-order.rebound.example'
  ]
  const loopback = ['localhost', 'LOCALHOST:8080', '127.0.0.1:3000', '[::1]:3000', 'ssl-order.localhost:3000']
  const addresses = ['10.0.0.7:8080', '[fd00::7]']
  const open = { HOST: '0.0.0.0', ALLOW_UNSIGNED_TOKENS: 'true' }
  for (const { env, answered, rejected } of [
    { env: {}, answered: loopback, rejected: [...foreign, ...addresses, 'ssl.example'] },
    {
      env: { PUBLIC_URL: 'https://ssl.example:8443' },
      answered: [...loopback, 'ssl.example', 'ssl-catalogue.ssl.example:443'],
      rejected: [...foreign, ...addresses, 'other.ssl.example']
    },
    { env: open, answered: [...loopback, ...addresses], rejected: [...foreign, 'ssl.example'] },
    {
      env: { ...open, HOST: 'ssl', PUBLIC_URL: 'http://ssl.example' },
      answered: [...loopback, ...addresses, 'ssl:3000', 'ssl.example'],
      rejected: foreign
    }
  ]) {
    const { app } = await testApp(t, env)
    for (const host of answered) t.ok(await isAnswered(app, host), `${JSON.stringify(env)} ${host}`)
    for (const host of rejected) t.notOk(await isAnswered(app, host), `${JSON.stringify(env)} ${host}`)
  }
  const { app } = await testApp(t)
  for (const url of ['/', '/desk/', '/nowhere', `${orders}/docs/`, `${orders}/parties`, `${orders}/events`])
    t.same(
      [await isAnswered(app, 'localhost', url), await isAnswered(app, foreign[0] ?? '', url)],
      [true, false],
      url
    )
})

t.test('a server that verifies tokens responds at any host name', async (t) => {
  const { app } = await testApp(t, verifyingTokens)
  t.equal((await app.inject({ url: '/health/live', headers: { host: 'pod-7.internal' } })).statusCode, 200)
})
