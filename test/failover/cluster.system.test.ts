import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import t, { type Test } from 'tap'
import { type Account, asUser, changeOwner, chooseAccount } from '../../src/embedded-postgres/account.js'
import { prepareLayout } from '../../src/embedded-postgres/layout.js'
import { callersOf } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { historyFindings } from '../fixtures/history/check.js'
import type { Run } from '../fixtures/history/client.js'
import { countOutcomes, instanceAt, instanceSettings, runWithWriters } from '../fixtures/history/run.js'
import { kill } from '../fixtures/kill.js'
import { readyServer, temporaryFolder } from '../fixtures/server.js'
import { world } from '../fixtures/world.js'

const programs = [
  ['patroni', '--version'],
  ['etcd', '--version'],
  ['haproxy', '-v'],
  ['/usr/lib/postgresql/15/bin/postgres', '-V']
] as const

const missing = programs.filter(([file, version]) => spawnSync(file, [version]).error).map(([file]) => file)

/** The reason to skip the tests on a cluster; false to run them. */
const skip = missing.length > 0 && `${missing.join(', ')} is not installed; .ci/run installs it`

/** Starts programs in a folder, as one user. The output of each goes to the file `<name>.log`. */
function launcher(folder: string, account: Account | undefined) {
  return (name: string, [file = '', ...args]: string[], env: Record<string, string> = {}): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), 'a')
    return spawn(file, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8', ...env },
      stdio: ['ignore', log, log],
      ...asUser(account)
    })
  }
}

/** The processes of the PostgreSQL on a data directory, the postmaster first. */
function processesOf(dataDir: string): number[] {
  const file = join(dataDir, 'postmaster.pid')
  const postmaster = Number(readText(file).split('\n')[0])
  if (!isRunning(postmaster)) return []
  return [postmaster, ...pids().filter((pid) => parentOf(pid) === postmaster)]
}

/** The process that receives the WAL of the leader. */
const receiverOf = (dataDir: string): number | undefined =>
  processesOf(dataDir).find((pid) => readText(`/proc/${pid}/cmdline`).includes('walreceiver'))

/** Sends a signal to processes. Some of them may have ended. */
function signal(targets: readonly number[], name: NodeJS.Signals): void {
  for (const pid of targets)
    try {
      process.kill(pid, name)
    } catch {}
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const pids = () => readdirSync('/proc').map(Number).filter(Number.isInteger)
/** The fourth field, after the name in parentheses. */
const parentOf = (pid: number) => Number(readText(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1])
const isRunning = (pid: number) => pid > 0 && readText(`/proc/${pid}/stat`) !== ''

/** The password of all roles of the cluster. */
const PASSWORD = 'secret'

/** A node of the cluster: Patroni with its PostgreSQL. */
interface Node {
  name: string
  address: string
  dataDir: string
  patroni: ChildProcess
  /** Starts Patroni without any data, as on a machine that replaces one. */
  replace(): void
}

/**
 * Starts three nodes with Patroni, etcd and haproxy on the files of `deploy`. The nodes end with
 * the test. `haproxy` is the address that leads to the leader.
 */
async function startNodes(t: Test) {
  const folder = temporaryFolder(t)
  // Neither PostgreSQL nor Patroni runs as root.
  const account = chooseAccount(await prepareLayout(folder))
  await changeOwner(folder, account)
  chmodSync(folder, 0o755)
  const launch = launcher(folder, account)
  // The files of `deploy` with loopback addresses of this run, and without the waiting times of a
  // network.
  const network = `127.${(process.pid >> 8) & 255}.${process.pid & 255}`
  const haproxy = `${network}.31:5000`
  const configured = (path: string) => {
    const file = join(folder, path.replace('/', '-'))
    const text = readFileSync(join('deploy', path), 'utf8')
    const local = text.replaceAll(/10\.0\.0(?=\.\d)/g, network).replace('*:5000', haproxy)
    writeFileSync(
      file,
      local.replace('ttl: 30', 'ttl: 10').replaceAll(/(loop_wait|retry_timeout): 10/g, '$1: 2')
    )
    return file
  }
  const [etcd, peer] = [`http://${network}.21:2379`, `http://${network}.21:2380`]
  const others = [
    launch('etcd', [
      ...['etcd', '--data-dir', join(folder, 'etcd'), '--initial-cluster', `default=${peer}`],
      ...['--listen-client-urls', etcd, '--advertise-client-urls', etcd],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer]
    ]),
    launch('haproxy', ['haproxy', '-db', '-f', configured('haproxy/haproxy.cfg')])
  ]
  const patroniFile = configured('patroni/patroni.yml')
  const nodes = [1, 2, 3].map((number): Node => {
    const [name, address] = [`node${number}`, `${network}.1${number}`]
    const dataDir = join(folder, name)
    const start = () =>
      launch(name, ['patroni', patroniFile], {
        PATRONI_NAME: name,
        PATRONI_RESTAPI_LISTEN: `${address}:8008`,
        PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
        PATRONI_POSTGRESQL_LISTEN: `${address}:5432`,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
        PATRONI_POSTGRESQL_DATA_DIR: dataDir,
        PATRONI_POSTGRESQL_PGPASS: `${dataDir}.pgpass`,
        PATRONI_SUPERUSER_PASSWORD: PASSWORD,
        PATRONI_REPLICATION_PASSWORD: PASSWORD,
        PATRONI_ETCD3_HOSTS: `${network}.21:2379`
      })
    const node = { name, address, dataDir, patroni: start() }
    return Object.assign(node, {
      replace() {
        rmSync(dataDir, { recursive: true, force: true, maxRetries: 20 })
        node.patroni = start()
      }
    })
  })
  t.teardown(async () => {
    await Promise.all([...others, ...nodes.map(({ patroni }) => patroni)].map(kill))
    const left = () => nodes.flatMap(({ dataDir }) => processesOf(dataDir))
    for (; left().length > 0; await pause(20)) signal(left(), 'SIGKILL')
    if (!t.passing())
      for (const each of ['etcd', 'haproxy', ...nodes.map(({ name }) => name)])
        t.comment(each, readText(join(folder, `${each}.log`)).slice(-4000))
  })
  return { nodes, haproxy }
}

interface Member {
  name: string
  role: 'leader' | 'replica' | 'sync_standby'
  state: string
}

const POLL_MS = 100

/**
 * Starts a Patroni cluster of three nodes with an empty database. The cluster ends with the test.
 */
async function startCluster(t: Test, signalOfTest: AbortSignal) {
  const { nodes, haproxy } = await startNodes(t)

  /** Calls the REST API of Patroni on the first node that responds. */
  async function rest(method: string, path: string, body?: object): Promise<unknown> {
    for (const { address } of nodes) {
      const response = await fetch(`http://${address}:8008${path}`, {
        method,
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(method === 'POST' ? 30_000 : 2000)
      }).catch(() => undefined)
      if (response?.ok) return response.json().catch(() => undefined)
    }
    return undefined
  }

  async function members(): Promise<Member[]> {
    const { members = [] } = ((await rest('GET', '/cluster')) ?? {}) as { members?: Member[] }
    return members.filter(({ state }) => state === 'running' || state === 'streaming')
  }

  async function until<T>(condition: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      signalOfTest.throwIfAborted()
      const result = await condition()
      if (result !== undefined) return result
      await pause(POLL_MS)
    }
  }

  /** Waits until there is a leader other than `before`. */
  const elected = (before?: string) =>
    until(async () => {
      const leader = (await members()).find(({ role }) => role === 'leader')
      return leader?.name === before ? undefined : nodes.find(({ name }) => name === leader?.name)
    })

  /** Queries the leader as superuser. */
  async function query<T>(run: (sql: Sql) => Promise<T>, database = 'ssl'): Promise<T> {
    const { address: host } = await elected()
    const sql = postgres({ host, database, max: 1, username: 'postgres', password: PASSWORD })
    try {
      return await run(sql)
    } finally {
      await sql.end()
    }
  }

  await elected()
  await query((sql) => sql.unsafe(`create role ssl login password '${PASSWORD}'`), 'postgres')
  await query((sql) => sql`create database ssl owner ssl`, 'postgres')
  const hosts = nodes.map(({ address }) => `${address}:5432`).join()
  const urlOf = (host: string) => `postgres://ssl:${PASSWORD}@${host}/ssl`
  return {
    /** The database of the service: by the list of nodes, and through haproxy. */
    urls: { nodes: urlOf(hosts), haproxy: urlOf(haproxy) },
    ...{ elected, query },
    /** Changes the configuration that the nodes share. */
    async configure(changes: object) {
      await rest('PATCH', '/config', changes)
    },
    /** Waits until there is a leader that the two other nodes follow, one of them synchronously. */
    async settled(isSynchronous = true) {
      await until(async () => {
        const roles = (await members()).map(({ role }) => role)
        const isComplete = roles.length === nodes.length && roles.includes('leader')
        if (!isComplete || roles.includes('sync_standby') !== isSynchronous) return undefined
        // Patroni announces the change before PostgreSQL has made it.
        const [row] = await query((sql) => sql`show synchronous_standby_names`)
        return (row?.synchronous_standby_names !== '') === isSynchronous ? true : undefined
      })
    },
    /** Makes a standby the leader, as `patronictl switchover` does. */
    async switchOver() {
      const { name: leader } = await elected()
      await until(async () => {
        await rest('POST', '/switchover', { leader })
        return (await elected()).name === leader ? undefined : true
      })
    },
    async kill({ patroni, dataDir }: Node) {
      await kill(patroni)
      for (; processesOf(dataDir).length > 0; await pause(20)) signal(processesOf(dataDir), 'SIGKILL')
    },
    /** Stops Patroni and PostgreSQL of a node where they are: their connections stay open. */
    freeze({ patroni, dataDir }: Node) {
      patroni.kill('SIGSTOP')
      signal(processesOf(dataDir), 'SIGSTOP')
    },
    /** Stops the processes that receive WAL. Returns a function that kills them. */
    stopReceiving() {
      const receivers = nodes.flatMap(({ dataDir }) => receiverOf(dataDir) ?? [])
      signal(receivers, 'SIGSTOP')
      return () => signal(receivers, 'SIGKILL')
    }
  }
}

const rounds = [
  ...(['switchover', 'kill', 'freeze', 'switchover', 'kill'] as const),
  ...(['kill', 'switchover', 'freeze', 'switchover', 'kill'] as const)
]
/** For both subtests. The runner ends a round without end: it requires an assertion every 600 s. */
const TIME_LIMIT_MS = 1_500_000

t.test('a Patroni cluster under eight writers', { skip }, async (t) => {
  const limit = AbortSignal.timeout(TIME_LIMIT_MS)
  const cluster = await startCluster(t, limit)
  await cluster.settled()
  const start = async (DATABASE_URL: string) => {
    const server = await readyServer(t, { ...instanceSettings, REQUEST_TIMEOUT: '5000', DATABASE_URL })
    return server.url
  }
  const urls = [await start(cluster.urls.nodes), await start(cluster.urls.haproxy)]
  const writers = {
    world: await world({ as: callersOf(urls[0] ?? '') }),
    instances: urls.map(instanceAt),
    isSticky: true,
    check: () => limit.throwIfAborted()
  }
  const findings = (run: Run) => cluster.query((sql) => historyFindings(sql, run))

  t.test('nothing acknowledged is lost, doubled or reordered when the leader fails', async (t) => {
    const run = await runWithWriters({ ...writers, name: 'sync' }, async (progress) => {
      for (const round of rounds) {
        await cluster.settled()
        await progress()
        const leader = await cluster.elected()
        if (round === 'switchover') await cluster.switchOver()
        else if (round === 'kill') await cluster.kill(leader)
        else cluster.freeze(leader)
        await cluster.elected(leader.name)
        await progress()
        t.pass(`the writers continue after a ${round}`)
        if (round === 'switchover') continue
        // A frozen node does not continue, like a node without power.
        await cluster.kill(leader)
        leader.replace()
      }
    })
    t.comment(countOutcomes(run))
    t.same(await findings(run), [])
    t.same(await cluster.query(differencesIn), [])
    t.same([...new Set(run.unexpected)], [], 'there are no other responses')
    t.ok(
      run.attempts.some(({ outcome }) => outcome !== 'acknowledged'),
      'the failures were noticed'
    )
  })

  t.test('the checker finds the changes that an asynchronous cluster loses', async (t) => {
    await cluster.settled()
    await cluster.configure({ synchronous_mode: false })
    await cluster.settled(false)
    const run = await runWithWriters({ ...writers, name: 'async' }, async (progress) => {
      await progress()
      const leader = await cluster.elected()
      const resume = cluster.stopReceiving()
      await progress()
      await cluster.kill(leader)
      resume()
      await cluster.elected(leader.name)
      await progress()
    })
    t.ok((await findings(run)).some(({ kind }) => kind === 'lost'))
  })
})
