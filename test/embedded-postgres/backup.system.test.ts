import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { MAIN_PROGRAM } from '../fixtures/compiled.js'
import { embeddedUrl, postmasterOf } from '../fixtures/embedded.js'
import { playDemo, runCommand } from '../fixtures/run-command.js'
import { startServer, temporaryFolder } from '../fixtures/server.js'

const patient = { EVENT_LOOP_DELAY_LIMIT: '0' }

/** Runs the program on a data folder while something is done with it. */
async function serving<Result>(
  t: Test,
  DATA_DIR: string,
  use: (url: string, dataDir: string) => Promise<Result>
): Promise<Result> {
  const server = await startServer(t, { ...patient, DATA_DIR })
  await server.ready()
  const result = await use(server.url, DATA_DIR)
  t.equal(await server.stop(), 0)
  return result
}

async function idsIn(dataDir: string): Promise<string[]> {
  const sql = postgres(embeddedUrl(dataDir), { max: 1 })
  const rows = await sql`
    select 'order ' || id as id from orders union all select 'trace ' || id from trace_lines
    union all select 'party ' || id from parties order by 1`
  await sql.end()
  return rows.map(({ id }) => id)
}

const content = (t: Test, dataDir: string) => serving(t, dataDir, (_url, folder) => idsIn(folder))

const addParty = (dataDir: string) => async () => {
  const sql = postgres(embeddedUrl(dataDir), { max: 1 })
  await sql`insert into parties (id, allowed_roles, name, email, organization, created_at)
    select gen_random_uuid(), allowed_roles, name, email, organization, created_at from parties limit 1`
  await sql.end()
  return idsIn(dataDir)
}

t.test('a backup restores everything that was there, and nothing later', async (t) => {
  const folder = temporaryFolder(t)
  const [DATA_DIR, backup, old] = [join(folder, 'data'), join(folder, 'backups', 'one'), join(folder, 'old')]
  t.match(await runCommand(t, { DATA_DIR }, 'backup', backup), { code: 1, output: /There is no database in/ })
  t.notOk(existsSync(DATA_DIR), 'and none is created')

  const before = await serving(t, DATA_DIR, async (url) => {
    await playDemo(t, url)
    const refused = await runCommand(t, { DATA_DIR }, 'backup', backup)
    t.match(refused, { code: 1, output: /in use by the process with the pid \d+\. Stop that process/ })
    t.match(await runCommand(t, { DATA_DIR }, 'restore', '.'), { code: 1, output: /not a complete backup/ })
    return idsIn(DATA_DIR)
  })
  t.ok(before.length > 20)
  const taken = await runCommand(t, { DATA_DIR }, 'backup', backup)
  t.match(taken, {
    code: 0,
    output: /copied to .*: (?!0 )\d+ rows in trace_lines, (?!0 )\d+ rows in audit_events/
  })
  t.match(await runCommand(t, { DATA_DIR }, 'backup', backup), {
    code: 1,
    output: /exists\. Name a new folder/
  })
  t.same(readdirSync(join(backup, '..')), ['one'], 'nothing incomplete is left')
  const below = join(backup, 'backup.json', 'two')
  t.match(await runCommand(t, { DATA_DIR }, 'backup', below), {
    code: 1,
    output: /^No backup can be made in .*E(XIST|NOTDIR).* Name another folder\.\n$/
  })

  const later = await serving(t, DATA_DIR, addParty(DATA_DIR))
  t.equal(later.length, before.length + 1)

  t.test('existing data are not replaced unless told where they go', async (t) => {
    t.match(await runCommand(t, { DATA_DIR }, 'restore', backup), {
      code: 1,
      output: /has a database, which was not changed\. Name a new folder for it: --old/
    })
    const inside = join(DATA_DIR, 'cluster', 'old')
    t.match(await runCommand(t, { DATA_DIR }, 'restore', backup, '--old', inside), {
      code: 1,
      output: /outside/
    })
    t.match(await runCommand(t, { DATA_DIR }, 'restore', backup, '--old', backup), {
      code: 1,
      output: /not empty/
    })
    t.same(await content(t, DATA_DIR), later)
  })

  t.test('a damaged backup is refused', async (t) => {
    const damaged = join(folder, 'damaged')
    const spoil = async (change: () => void, reason: RegExp) => {
      rmSync(damaged, { recursive: true, force: true })
      cpSync(backup, damaged, { recursive: true })
      change()
      t.match(await runCommand(t, { DATA_DIR }, 'restore', damaged, '--old', old), {
        code: 1,
        output: reason
      })
    }
    const record = join(damaged, 'backup.json')
    const edit = (from: RegExp, to: string) => () =>
      writeFileSync(record, readFileSync(record, 'utf8').replace(from, to))
    const file = join(damaged, 'cluster/data/global/pg_control')
    await spoil(
      () => writeFileSync(file, readFileSync(file).fill(0, 200, 210)),
      /damaged: 1 files .*pg_control/
    )
    await spoil(() => rmSync(join(damaged, 'cluster/password')), /damaged: 1 files .*password/)
    await spoil(() => rmSync(record), /not a complete backup/)
    await spoil(edit(/"trace_lines": \d+/, '"trace_lines": 1'), /trace_lines has \d+ rows instead of 1/)
    t.same(await content(t, DATA_DIR), later)
    t.notOk(readdirSync(DATA_DIR).some((name) => name.startsWith('restoring-')))
  })

  t.test('a restore puts the backup in place and keeps what was there', async (t) => {
    const done = await runCommand(t, { DATA_DIR }, 'restore', backup, '--old', old)
    t.match(done, {
      code: 0,
      output: /The database in .* is that of 20.*rows in trace_lines.*\nThe former one/
    })
    t.same(await content(t, DATA_DIR), before)
    t.same(await content(t, old), later)
  })

  t.test('a restore into a new folder needs no place for old data, and the demo goes on', async (t) => {
    const fresh = join(folder, 'fresh')
    t.equal((await runCommand(t, { DATA_DIR: fresh }, 'restore', backup)).code, 0)
    await serving(t, fresh, async (url) => t.match(await playDemo(t, url), { created: 0 }))
  })

  t.test('a kill during a restore leaves the old data or the new', async (t) => {
    const killed = join(folder, 'killed')
    t.equal((await runCommand(t, { DATA_DIR: killed }, 'restore', backup)).code, 0)
    const now = await serving(t, killed, addParty(killed))
    const aside = join(folder, 'aside')

    const restore = await startServer(t, { DATA_DIR: killed }, [
      'node',
      MAIN_PROGRAM,
      'restore',
      backup,
      '--old',
      aside
    ])
    const partial = () => readdirSync(killed).find((name) => name.startsWith('restoring-'))
    // The verification has started a server on the new data.
    const verifying = () => existsSync(join(killed, partial() ?? 'none', 'data/postmaster.pid'))
    while (!verifying()) await pause(2)
    await restore.stop('SIGKILL')
    t.same(await content(t, killed), now, 'before the exchange')
    t.equal(partial(), undefined)

    const paths = { cluster: join(killed, 'cluster'), replacement: join(killed, 'replacement') }
    cpSync(join(backup, 'cluster'), paths.replacement, { recursive: true })
    t.same(await content(t, killed), now, 'before the old data are moved')
    t.notOk(existsSync(paths.replacement))

    cpSync(join(backup, 'cluster'), paths.replacement, { recursive: true })
    mkdirSync(aside, { recursive: true })
    renameSync(paths.cluster, join(aside, 'cluster'))
    t.same(await content(t, killed), before, 'after the old data are moved')
    t.same(await content(t, aside), now)
  })

  t.test('a killed backup does not have the name of a backup', async (t) => {
    const [data, backups] = [join(folder, 'unsaved'), join(folder, 'backups')]
    t.equal((await runCommand(t, { DATA_DIR: data }, 'restore', backup)).code, 0)
    // Names in the order of their appearance, even if the backup is complete before the kill.
    const names: (string | null)[] = []
    const watcher = watch(backups, (_event, name) => names.push(name))
    t.teardown(() => watcher.close())
    const run = await startServer(t, { DATA_DIR: data }, [
      'node',
      MAIN_PROGRAM,
      'backup',
      join(backups, 'three')
    ])
    while (names.length === 0) await pause(2)
    await run.stop('SIGKILL')
    t.match(names[0], /^three\.incomplete-/)
    const restored = { DATA_DIR: join(folder, 'never') }
    t.match(await runCommand(t, restored, 'restore', join(backups, names[0] ?? '')), {
      code: 1,
      output: /not a complete backup/
    })
  })

  t.test('a backup after a crash of everything has what was committed', async (t) => {
    const crashed = join(folder, 'crashed')
    t.equal((await runCommand(t, { DATA_DIR: crashed }, 'restore', backup)).code, 0)
    const server = await startServer(t, { ...patient, DATA_DIR: crashed })
    await server.ready()
    const now = await addParty(crashed)()
    await server.stop('SIGKILL')
    t.ok(postmasterOf(crashed) > 0)
    const second = join(folder, 'backups', 'two')
    t.equal((await runCommand(t, { DATA_DIR: crashed }, 'backup', second)).code, 0)
    const restored = join(folder, 'restored')
    t.equal((await runCommand(t, { DATA_DIR: restored }, 'restore', second)).code, 0)
    t.same(await content(t, restored), now)
  })
})

t.test('the commands say how to use them', async (t) => {
  const DATABASE_URL = 'postgres://127.0.0.1:1/ssl'
  for (const command of ['backup', 'restore'])
    t.match(await runCommand(t, {}, command), {
      code: 1,
      output: new RegExp(`Usage: npm run ${command} -- <`)
    })
  t.match(await runCommand(t, {}, 'upgrade', '--from', 'here'), { code: 1, output: /--old <new folder/ })
  t.match(await runCommand(t, { DATABASE_URL }, 'backup', 'x'), {
    code: 1,
    output: /embedded database\. Use the/
  })
})

const isRoot = process.getuid?.() === 0
const canRun = spawnSync(process.execPath, ['--version'], {
  cwd: '/',
  uid: isRoot ? 65_534 : (process.getuid?.() ?? 0)
})
t.test(
  'an ordinary user restores its own backup',
  { skip: (!isRoot || canRun.status !== 0) && 'needs root' },
  async (t) => {
    const folder = temporaryFolder(t)
    spawnSync('chown', ['65534:65534', folder])
    const as = (...command: string[]) => [
      'setpriv',
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      '--',
      'node',
      MAIN_PROGRAM,
      ...command
    ]
    const run = async (dataDir: string, ...command: string[]) => {
      const program = await startServer(t, { DATA_DIR: join(folder, dataDir) }, as(...command))
      await new Promise((resolve) => program.process.once('close', resolve))
      return { code: program.process.exitCode, output: program.output() }
    }
    const server = await startServer(t, { DATA_DIR: join(folder, 'data') }, as())
    await server.ready()
    t.equal(await server.stop(), 0)
    t.match(await run('data', 'backup', join(folder, 'backup')), { code: 0 })
    t.match(await run('restored', 'restore', join(folder, 'backup')), { code: 0 })
    // Root, on the folder of that user.
    const restored = join(folder, 'restored')
    t.same(await content(t, restored), [])
  }
)
