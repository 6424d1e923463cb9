import { once } from 'node:events'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { headOf, listenOnLoopback, wire } from '../fixtures/wire.js'
import { orders, party } from '../fixtures/world.js'

const authorization = `authorization: ${tokenOf('AdministrativeClerk')}`
const json = 'content-type: application/json'
const [health, nowhere] = [headOf('GET', '/health/live'), headOf('GET', '/nowhere')]

const post = (text: string, length = text.length, url = `${orders}/party`) =>
  headOf('POST', url, authorization, json, `content-length: ${length}`) + text
const postParty = (name: string) => post(JSON.stringify(party(name, 'SELLER')))

t.test('connections', async (t) => {
  const { app, sql } = await testApp(t)
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  app.get('/gate', { config: { access: 'public' } }, async () => gate)
  const port = await listenOnLoopback(app)
  const parties = async () => (await sql`select name from parties order by name`).map(({ name }) => name)

  t.test('the error for an unreadable request follows the responses to earlier requests', async (t) => {
    const { send, statuses } = wire(t, port)
    send(`${health}${nowhere}${postParty('first')}nonsense\r\n\r\n`)
    t.same(await statuses(), [200, 404, 201, 400])
    t.same(await parties(), ['first'])
  })

  t.test('a connection that sends too many requests ahead is closed', async (t) => {
    const begun = once(app.server, 'request')
    const { send, closed } = wire(t, port)
    send(headOf('GET', '/gate'))
    await begun
    send(health.repeat(100))
    t.same(await closed(), [])
    open()

    const other = wire(t, port)
    other.send(`${health.repeat(99)}nonsense\r\n\r\n`)
    t.equal((await other.closed()).length, 100, 'as many as allowed are served')
  })

  t.test('an error response to HEAD has no body', async (t) => {
    const { send, socket, received, until } = wire(t, port)
    send(`${headOf('HEAD', '/nowhere', 'content-length: 2')}{}`)
    await until('\r\n\r\n')
    socket.end()
    await once(socket, 'close')
    t.match(received(), /^HTTP\/1\.1 404 [\s\S]*content-length: [1-9]\d*\r\n[\s\S]*\r\n\r\n$/)
    t.equal(received().split('HTTP/1.1').length, 2)
  })

  t.test('a connection stays open after an error response to a complete request', async (t) => {
    const { send, socket, until, statuses } = wire(t, port)
    send(post('{}', 2, '/nowhere'))
    await until('not-found')
    send(health)
    await until('"ok"')
    socket.end()
    t.same(await statuses(), [404, 200])
  })

  t.test('the rest of a rejected body is not read as a request', async (t) => {
    const { send, socket, until, statuses } = wire(t, port)
    const rest = postParty('smuggled')
    send(post('{"na', 4 + rest.length, '/nowhere'))
    await until('not-found')
    send(`${rest}${health}`)
    await until('"ok"')
    socket.end()
    t.same(await statuses(), [404, 200])
    t.notOk((await parties()).includes('smuggled'))
  })

  t.test('a client that reads only after sending gets the error response to its body', async (t) => {
    const large = Buffer.alloc(40_000_000, 'x')
    const chunk = Buffer.from(`${large.length.toString(16)}\r\n`)
    const upload = '/ssl-catalogue-excel/v1/catalogue'
    const form = 'content-type: multipart/form-data; boundary=b'
    const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\n'
    const chunked = headOf('POST', `${orders}/party`, authorization, json, 'transfer-encoding: chunked')
    const uploadBytes = part.length + large.length + 7
    const cases = [
      { what: 'a length', head: post('', large.length), code: 'payload-too-large' },
      { what: 'chunks', head: chunked + chunk, end: '\r\n0\r\n\r\n', code: 'payload-too-large' },
      {
        what: 'an upload',
        head: headOf('POST', upload, authorization, form, `content-length: ${uploadBytes}`) + part,
        end: '\r\n--b--',
        code: 'file-too-large'
      }
    ]
    for (const { what, head, end = '', code } of cases) {
      const { socket, until, closed } = wire(t, port)
      socket.pause()
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.write(head)
        socket.write(large)
        socket.write(end, () => resolve())
      })
      socket.resume()
      await until(code)
      socket.write(health)
      await until('"ok"')
      socket.end()
      t.match(await closed(), [{ status: 413, body: { code } }, { status: 200 }], what)
    }
  })
})
