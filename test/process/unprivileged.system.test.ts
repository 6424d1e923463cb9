import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { MAIN_PROGRAM } from '../fixtures/compiled.js'
import { startServer, temporaryFolder } from '../fixtures/server.js'

const isRoot = process.getuid?.() === 0
const firstFree = () => Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
const skip = process.platform !== 'linux' && 'capabilities exist only on Linux'

/** Starts the program without the rights of root over files and low ports. */
const program = (file = MAIN_PROGRAM) =>
  isRoot ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--', 'node', file] : ['node', file]

t.test('a port that the user may not use is reported with what to do', { skip }, async (t) => {
  if (firstFree() <= 80) return t.comment('every user may use any port here')
  const server = await startServer(t, { DATABASE_URL: await cloneDatabase(t), PORT: '80' }, program())
  const [code] = await once(server.process, 'close')
  t.equal(code, 1)
  t.match(server.output(), /EACCES.*:80\n.*Set PORT to 1024 or higher/)
  t.notMatch(server.output(), /^ +at /m, 'without a stack trace')
})

t.test('a data folder that the user may not write is reported with what to do', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o555)
  const DATA_DIR = join(folder, 'data')
  const server = await startServer(t, { DATA_DIR }, program())
  const [code] = await once(server.process, 'close')
  t.equal(code, 1)
  t.match(server.output(), new RegExp(`The data folder ${DATA_DIR} cannot be used: permission is missing`))
  t.match(server.output(), /set DATA_DIR to another folder/)
  t.notMatch(server.output(), /^ +at /m, 'without a stack trace')
})
