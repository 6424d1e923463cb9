import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { testApp } from '../fixtures/app.js'

t.test('what is not HTTP gets a problem too', async (t) => {
  const { app } = await testApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const cases: [sent: string, status: number, code: string][] = [
    ['nonsense\r\n\r\n', 400, 'bad-request'],
    [`GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n`, 400, 'bad-request'],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers-too-large']
  ]
  for (const [sent, status, code] of cases) {
    const socket = connect(port, '127.0.0.1')
    socket.write(sent)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    await once(socket, 'close')
    const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
    t.ok(head.startsWith(`HTTP/1.1 ${status} `), head)
    t.match(JSON.parse(body), { status, code })
  }
})
