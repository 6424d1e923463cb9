import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { MAIN_PROGRAM } from '../fixtures/compiled.js'
import { folderOf, valueSet } from '../fixtures/fhir/value-sets.js'
import { startServer, temporaryFolder } from '../fixtures/server.js'

/** A start that fails and says what to do. */
interface Fault {
  name: string
  env: Record<string, string>
  /** The arguments after the program. None of them starts the server. */
  command?: string[]
  output: RegExp
  /** Default: 1. */
  code?: number
  skip?: string | false
}

/** Removes the rights of root on files and low ports. */
const unprivileged =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--'] : []
const skip = process.platform !== 'linux' && 'capabilities exist only on Linux'
const isPort80Free = () => Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8')) <= 80

const folder = temporaryFolder(t)
chmodSync(folder, 0o555)
const DATABASE_URL = await cloneDatabase(t)
const OTHER_BASELINE = await cloneDatabase(t)
const sql = postgres(OTHER_BASELINE, { max: 1 })
await sql`update drizzle.__drizzle_migrations set hash = 'other'`
await sql.end()
const takenPort = createServer()
await once(takenPort.listen(0, '127.0.0.1'), 'listening')
t.teardown(() => takenPort.close())
const databaseAt = (difference: Partial<URL>) => Object.assign(new URL(DATABASE_URL), difference).href

const faults: Fault[] = [
  {
    name: 'several settings are invalid',
    env: { ENVIRONMENT: 'prod', LOG_LEVEL: 'loud' },
    output: /^ {2}LOG_LEVEL .*^ {2}DATABASE_URL .*^ {2}PUBLIC_URL .*^ {2}TOKEN_ISSUERS /ms
  },
  {
    name: 'the database does not respond',
    env: { DATABASE_URL: databaseAt({ port: '1' }) },
    output: /ECONNREFUSED.*\nThe database does not respond\. Start it/
  },
  {
    name: 'the database does not exist',
    env: { DATABASE_URL: databaseAt({ pathname: '/not-there' }) },
    output: /"not-there" does not exist\nCreate the database/
  },
  {
    name: 'the database has another baseline',
    env: { DATABASE_URL: OTHER_BASELINE },
    output: /^The database was created before version 1\.0\.0 .*remove the data folder.*create a new database/
  },
  {
    name: 'the user may not use the port',
    env: { DATABASE_URL, PORT: '80' },
    output: /EACCES.*:80\n.*Set PORT to 1024 or higher/,
    skip: skip || (isPort80Free() && 'every user may use any port here')
  },
  {
    // The data folder of this user cannot be used either, which is reported later.
    name: 'the port is in use',
    env: { DATA_DIR: join(folder, 'data'), PORT: String((takenPort.address() as AddressInfo).port) },
    output: /EADDRINUSE.*\nAnother program uses this port, .*\. Stop that program, or set PORT /
  },
  {
    name: 'the user may not write the data folder',
    env: { DATA_DIR: join(folder, 'data') },
    output:
      /The data folder \S+\/data cannot be used \(EACCES: permission denied.*set DATA_DIR to another folder/s,
    skip
  },
  {
    name: 'files of value sets are not usable',
    env: {
      DATABASE_URL,
      VALUESETS_DIR: folderOf(t, { 'a.json': '{', 'b.json': valueSet('device-type', {}) })
    },
    output: /^The value sets in .* \(VALUESETS_DIR\) are not usable:\n {2}a\.json: .*\n {2}b\.json, .*\n$/
  },
  { name: 'migrate has no database', env: {}, command: ['migrate'], output: /^Set DATABASE_URL/ },
  {
    name: 'the command is unknown',
    env: {},
    command: ['toString'],
    code: 2,
    output: /^There is no command toString\. .*migrate/
  }
]

for (const { name, env, command = [], output, code: wanted = 1, skip = false } of faults)
  t.test(`a start ends with a remedy when ${name}`, { skip }, async (t) => {
    const program = await startServer(t, env, [...unprivileged, 'node', MAIN_PROGRAM, ...command])
    const [code] = await once(program.process, 'close')
    t.equal(code, wanted)
    t.match(program.output(), output)
    t.notMatch(program.output(), /^ +at /m, 'without a stack trace')
  })
