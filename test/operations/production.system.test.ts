import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { archive, packProgram } from '../../scripts/pack/program.js'
import { type Account, readAccounts } from '../../src/embedded-postgres/account.js'
import { userTypes } from '../../src/platform/auth/caller.js'
import { usualPermissions } from '../../src/platform/auth/tokens/unsigned-token.js'
import { settingsWithoutTimePressure } from '../fixtures/app.js'
import { freePort } from '../fixtures/free-port.js'
import { type Issuer, startIssuer } from '../fixtures/issuer.js'
import { startMailServer } from '../fixtures/mail-server.js'
import { runbook } from '../fixtures/prometheus/documents.js'
import { serve } from '../fixtures/serve.js'
import { temporaryFolder } from '../fixtures/server.js'
import { until } from '../fixtures/waiting.js'

/** The environment of programs. */
interface Runner {
  root: string
  here(text: string): string
  account: Partial<Account>
  env: Record<string, string>
}

/**
 * Runs commands in a shell that continues after errors, like an interactive shell. Returns their
 * output on both streams. Throws an error with it when the last one fails.
 */
async function runShell({ root, account, env }: Runner, commands: string): Promise<string> {
  const child = spawn('bash', ['-c', `exec 2>&1\n${commands}`], {
    cwd: root,
    env,
    ...account
  })
  // A terminal for interactive questions.
  child.stdin.end('\n\n\n')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The shell ended with ${code}:\n${output}`)
  return output
}

/** The parts of a unit of systemd that start its program. */
interface Unit {
  environment: Record<string, string>
  folder: string | undefined
  /** The commands of `ExecStart`, one after the other. */
  commands: string[]
  stopSeconds: number
}

/**
 * Reads a unit for an instance, such as `1` of `ssl-backend@1`.
 * @param here replaces paths and ports.
 */
function readUnit(file: string, instance: string, here: (text: string) => string): Unit {
  const text = here(readFileSync(file, 'utf8').replaceAll('%i', instance))
  const values = (key: string) =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const assignments = [
    ...values('Environment').flatMap((line) => line.replaceAll('"', '').split(' ')),
    ...values('EnvironmentFile').flatMap((path) =>
      readFileSync(path, 'utf8').replaceAll(/["']/g, '').trim().split('\n')
    )
  ]
  return {
    environment: Object.fromEntries(assignments.map((each) => each.split(/=(.*)/s).slice(0, 2))),
    folder: values('WorkingDirectory')[0],
    commands: values('ExecStart'),
    stopSeconds: Number(values('TimeoutStopSec')[0])
  }
}

/** The defaults of the programs for monitoring, with the paths of Debian. */
const monitorFolders: Readonly<Record<string, string[]>> = {
  prometheus: ['--config.file=/etc/prometheus/prometheus.yml', '--storage.tsdb.path=/var/lib/prometheus'],
  'prometheus-alertmanager': [
    '--config.file=/etc/prometheus/alertmanager.yml',
    '--storage.path=/var/lib/alertmanager'
  ],
  'prometheus-node-exporter': ['--collector.textfile.directory=/var/lib/prometheus/node-exporter'],
  'prometheus-postgres-exporter': [],
  'prometheus-blackbox-exporter': []
}

/**
 * Serves the commands of `systemctl` on loopback: it starts and stops the programs of units as
 * declared in the units. Returns its URL.
 */
async function playSystemd(t: Test, runner: Runner): Promise<string> {
  const running = new Map<string, ChildProcess>()
  t.teardown(() => Promise.all([...running.keys()].map(stop)))

  function start(unit: string, [program = '', ...args]: string[], env = {}, cwd = runner.root): void {
    const log = openSync(join(runner.root, 'var/log', `${unit}.log`), 'a')
    const options = { cwd, env: { ...runner.env, ...env }, ...runner.account }
    running.set(unit, spawn(program, args, { ...options, stdio: ['ignore', log, log] }))
    closeSync(log)
  }

  async function stop(unit: string): Promise<void> {
    const child = running.get(unit)
    running.delete(unit)
    if (!child || child.exitCode !== null) return
    child.kill('SIGTERM')
    const [code] = await once(child, 'close')
    // A signal ends exporters without an exit code.
    if (code !== 0 && !unit.endsWith('-exporter')) throw new Error(`${unit} ended with ${code}.`)
  }

  /** An instance of the service, by the unit that is installed. */
  function startInstance(unit: string, instance: string): void {
    const file = join(runner.root, 'etc/systemd/system/ssl-backend@.service')
    const { commands, environment, folder } = readUnit(file, instance, runner.here)
    // No requests are sent while an instance stops.
    const env = { ...environment, ...settingsWithoutTimePressure, SHUTDOWN_DELAY: '100' }
    start(unit, (commands[0] ?? '').split(' '), env, folder)
  }

  /** A program of Debian for monitoring, with the arguments of its file in `/etc/default`. */
  function startMonitor(unit: string, folders: readonly string[]): void {
    const { commands, environment } = readUnit(`/lib/systemd/system/${unit}.service`, '', runner.here)
    const command = (commands[0] ?? '').replace('$ARGS', environment.ARGS ?? '')
    start(unit, [...command.split(' '), ...folders.map(runner.here)], environment)
  }

  const verbs: Readonly<Record<string, (unit: string, name: string, instance: string) => unknown>> = {
    async start(unit, name, instance) {
      if (name === 'ssl-backend') startInstance(unit, instance)
      else if (name === 'pg_basebackup' && !unit.endsWith('.timer')) {
        const { commands, environment } = readUnit(
          `/lib/systemd/system/${name}@.service`,
          instance,
          runner.here
        )
        const dropIn = join(runner.root, `etc/systemd/system/${name}@.service.d/time.conf`)
        if (existsSync(dropIn)) commands.push(...readUnit(dropIn, instance, runner.here).commands)
        const shell = commands
          .map((each) => each.replace(/^\+/, '').replaceAll('%%', '%'))
          .join(' && ')
          .replaceAll('/usr/bin/', '')
        await runShell({ ...runner, env: { ...runner.env, ...environment } }, shell)
      }
    },
    async restart(unit, name, instance) {
      if (name === 'postgresql') return runShell(runner, 'pg_ctlcluster 15 main restart')
      await stop(unit)
      if (name === 'ssl-backend') startInstance(unit, instance)
      if (name in monitorFolders) startMonitor(unit, monitorFolders[name] ?? [])
    },
    stop,
    reload(unit) {
      start(unit, ['nginx', '-g', 'daemon off;'])
    }
  }

  const server = createHttpServer(async (request, response) => {
    const [verb = '', ...units] = (await text(request)).replace('enable --now', 'start').split(' ')
    try {
      for (const unit of units) {
        const [, name = '', instance = ''] = /^([\w-]+)(?:@([^.]+))?/.exec(unit) ?? []
        await verbs[verb]?.(unit, name, instance)
      }
      response.end()
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  return `http://127.0.0.1:${await serve(t, server)}`
}

/** Files of Debian that the machine has in addition to programs. */
const NGINX_FILE = '/etc/nginx/nginx.conf'
const CLUSTER_PROGRAMS = ['pg_backupcluster', 'pg_restorecluster', 'pg_renamecluster']
const EXPORTERS = ['node', 'postgres', 'blackbox'].map((each) => `prometheus-${each}-exporter`)
const MONITORS = ['prometheus', 'prometheus-alertmanager', ...EXPORTERS]
const needed = [NGINX_FILE, ...[...CLUSTER_PROGRAMS, ...MONITORS].map((name) => `/usr/bin/${name}`)]
const missing = needed.filter((file) => !existsSync(file))

/** The reason to skip tests with a machine; false to run them. */
const skip = missing.length > 0 && `${missing.join(', ')} is not installed; .ci/run installs it`

/**
 * Debian with PostgreSQL, in a folder. An ordinary user replaces root, and this process replaces
 * systemd.
 */
interface Machine {
  /** Replaces paths, ports and the address of the issuer by those of this machine. */
  here(text: string): string
  /** Runs commands of root in one shell. Returns their output. Throws an error with it. */
  shell(commands: string): Promise<string>
  /** The local port for a port of the machine. */
  port(port: number): number
  /** The last lines of the logs of its programs. */
  logs(): string
}

/** Commands that only root can run. */
const programsOfRoot: Readonly<Record<string, string>> = {
  'apt-get': 'exit 0',
  useradd: 'exec mkdir --mode=700 /var/lib/ssl-operator',
  // Accounts that only root can become.
  runuser:
    'case $2 in postgres | ssl-operator) shift 3; exec "$@" ;; *) echo "$2 can log in." >&2; exit 1 ;; esac',
  logname: 'echo operator',
  // Requests are sent only after the restarts.
  sleep: 'exec /bin/sleep 0.1',
  nginx: 'exec /usr/sbin/nginx -c /etc/nginx/nginx.conf -e /var/log/nginx/error.log "$@"',
  systemctl: 'exec curl -sS --fail-with-body --data-binary "$*" "$SYSTEMD"'
}

/** Creates a machine that trusts an issuer and sends mail to a port; it is removed when the test ends. */
async function debianMachine(t: Test, issuer: string, mailPort: number): Promise<Machine> {
  const root = temporaryFolder(t)
  const user = process.getuid?.() === 0 && readAccounts().find(({ name }) => name === 'postgres')
  const ports = new Map<number, number>()
  for (const port of [443, 3001, 3002, 5432, 9090, 9093, 9100, 9115, 9187, 9461, 9462])
    ports.set(port, await freePort())
  const port = (of: number) => ports.get(of) ?? 0

  const folders = new RegExp(
    `(?<![\\w./-])/(?!${root.slice(1)})(?=(?:etc|opt|root|run|var|usr/local/sbin)/)`,
    'g'
  )
  const here = (text: string) =>
    text
      .replaceAll(folders, `${root}/`)
      .replaceAll(/\b(?:3001|3002|90(?:90|93)|91(?:00|15|87)|946[12])\b/g, (each) =>
        String(port(Number(each)))
      )
      .replace('listen 443', `listen 127.0.0.1:${port(443)}`)
      .replaceAll('@127.0.0.1/', `@127.0.0.1:${port(5432)}/`)
      .replace('--port=5432', `--port=${port(5432)}`)
      .replace('user=prometheus', `user=prometheus port=${port(5432)}`)
      .replace('https://ssl.example.org/health', `https://127.0.0.1:${port(443)}/health`)
      .replaceAll('smtp.example.org:587', `127.0.0.1:${mailPort}`)
      .replaceAll('https://login.example.org/realms/ssl', issuer)
  const put = (path: string, text: string) => {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), here(text), { mode: 0o755 })
  }

  for (const [name, text] of Object.entries(programsOfRoot)) put(`bin/${name}`, `#!/bin/bash\n${text}\n`)
  for (const name of CLUSTER_PROGRAMS) put(`bin/${name}`, readFileSync(`/usr/bin/${name}`, 'utf8'))
  for (const folder of [
    'log/nginx',
    'lib/postgresql/15',
    'run/postgresql',
    'backups/postgresql/15-main',
    'lib/prometheus/node-exporter',
    'tmp'
  ])
    mkdirSync(join(root, 'var', folder), { recursive: true })
  for (const folder of ['default', 'nginx/conf.d', 'prometheus', 'systemd/system'])
    mkdirSync(join(root, 'etc', folder), { recursive: true })
  for (const folder of ['usr/local/sbin', 'root', 'run']) mkdirSync(join(root, folder), { recursive: true })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path /run/${each};`
  )
  put(
    'etc/nginx/nginx.conf',
    readFileSync(NGINX_FILE, 'utf8').replace('http {', `http { ${temporary.join(' ')}`)
  )
  for (const file of ['nginx/mime.types', 'prometheus/blackbox.yml'])
    cpSync(join('/etc', file), join(root, 'etc', file))
  put('.curlrc', `connect-to = "ssl.example.org:443:127.0.0.1:${port(443)}"\n`)
  if (user) own(root, user)

  const runner: Runner = {
    ...{ root, here },
    account: user ? { uid: user.uid, gid: user.gid } : {},
    env: {
      PATH: [
        join(root, 'bin'),
        join(root, 'usr/local/sbin'),
        dirname(process.execPath),
        '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'
      ].join(':'),
      HOME: root,
      LC_ALL: 'C.UTF-8',
      PG_CLUSTER_CONF_ROOT: join(root, 'etc/postgresql'),
      // The port 5432 of Debian shows this.
      PGCLUSTER: '15/main'
    }
  }
  mkdirSync(runner.env.PG_CLUSTER_CONF_ROOT ?? '')
  if (user) chownSync(join(root, 'etc/postgresql'), user.uid, user.gid)
  runner.env.SYSTEMD = await playSystemd(t, runner)
  const shell = (commands: string) => runShell(runner, here(commands))
  t.teardown(() => shell('for each in restored former main; do pg_dropcluster --stop 15 $each || true; done'))
  await shell(
    `pg_createcluster --datadir=/var/lib/postgresql/15/main --socketdir=/var/run/postgresql \
      --port=${port(5432)} --pgoption fsync=off 15 main -- --no-sync &&
      sed -i '1i local all prometheus trust' ${root}/etc/postgresql/15/main/pg_hba.conf && pg_ctlcluster 15 main start`
  )
  const logs = () =>
    readdirSync(join(root, 'var/log'), { withFileTypes: true })
      .filter((each) => each.isFile())
      .map(({ name }) => `${name}: ${readFileSync(join(root, 'var/log', name), 'utf8').slice(-2000)}`)
      .join('\n')
  return { here, shell, port, logs }
}

function own(folder: string, { uid, gid }: Account): void {
  chownSync(folder, uid, gid)
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath, entry.name), uid, gid)
}

/*
 * The page `docs/operations/production.md`: its commands, in one shell, on Debian's packages.
 */

const UNIT_FILE = 'deploy/systemd/ssl-backend@.service'
const page = readFileSync('docs/operations/production.md', 'utf8')
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const NEXT_VERSION = '99.0.0'

/** The commands of the page, each step with its heading. */
function commands(): string {
  const [, ...steps] = page.split(/^## /m)
  const parts = steps.map((step) => {
    const blocks = [...step.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block)
    const check = 'test $? = 0 || { echo "This step failed."; exit 1; }'
    const checked = blocks.flatMap((block) => [block, check])
    return [`printf '\\n== %s\\n' '${step.split('\n')[0]}'`, ...checked].join('\n')
  })
  const versions = [version, NEXT_VERSION]
  return parts.join('\n').replaceAll(/(?<=^|\s)version=\d\S*/g, () => `version=${versions.shift()}`)
}

/** The commands of the runbook that query the database, with values for its placeholders. */
function runbookCommands(): string {
  const [definition = ''] = /^db\(\).*$/m.exec(runbook) ?? []
  const blocks = [...runbook.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block)
  const inline = [...runbook.matchAll(/`(db [^`]*)`/g)].map(([, command = '']) => command)
  const queries = [...blocks.filter((block) => /^ *db -c/.test(block)), ...inline]
    // No transaction is prepared.
    .filter((command) => !/'GID'/.test(command))
    .map((command) => command.replace('PID', '0').replace("'ID'", "'00000000-0000-0000-0000-000000000000'"))
  if (queries.length < 8) throw new Error('The runbook has more commands.')
  return ['set -e', definition, ...queries].join('\n')
}

/** Makes an alert about the disk fire, and its mail be sent, immediately. */
const atOnce = (text: string) =>
  text
    .replace('interval: 15s', 'interval: 1s')
    .replace(/_interval: 1(5s|m)/g, '_interval: 1s')
    .replace('group_wait: 30s', 'group_wait: 1s')
    .replace('smtp_require_tls: true', 'smtp_require_tls: false')
    .replace(
      /(job="ssl-database", fstype!~")[^"]*("}\s+\/ node_filesystem_size_bytes <) 0\.1\n( +for:) 10m/,
      '$1none$2 2\n$3 1s'
    )

/** Packs two versions of the program with the paths of a machine. */
async function packFor({ here }: Machine): Promise<void> {
  const release = here('/var/tmp')
  const folder = join(release, `ssl-backend-${version}`)
  await packProgram(folder)
  const files = readdirSync(join(folder, 'deploy'), { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of files.filter((each) => each.isFile())) {
    const file = join(parentPath, name)
    writeFileSync(file, atOnce(here(readFileSync(file, 'utf8'))))
  }
  archive(release, `ssl-backend-${version}`)
  const next = join(release, `ssl-backend-${NEXT_VERSION}`)
  cpSync(folder, next, { recursive: true })
  const manifest = readFileSync(join(next, 'package.json'), 'utf8')
  writeFileSync(join(next, 'package.json'), manifest.replace(`"${version}"`, `"${NEXT_VERSION}"`))
  archive(release, `ssl-backend-${NEXT_VERSION}`)
}

/** Signs users in at a device: a user of each type, in this order. */
function signInAtDevices(issuer: Issuer): void {
  const users = [...userTypes]
  const places = { Provider: 'maaneskaer-medicoteknik' } as Record<string, string>
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request))
    const [userType] = users
    const body = form.has('code_challenge')
      ? { device_code: `device of ${userType}`, verification_uri_complete: `${issuer.url}/device` }
      : { access_token: await tokenFor(form.get('device_code')) }
    response.end(JSON.stringify(body))
  }
  async function tokenFor(device: string | null) {
    const userType = users.shift()
    if (userType === undefined || device !== `device of ${userType}`)
      throw new Error(`There is no ${device}.`)
    const organization_id = `https://fhir.example/Organization/${places[userType] ?? 'aarhus-kommune'}`
    return issuer.sign({
      ...{ aud: 'ssl-backend', sub: userType, user_type: userType, context: { organization_id } },
      realm_access: { roles: usualPermissions[userType] }
    })
  }
  issuer.instead = (request, response) =>
    request.url?.startsWith('/protocol/') ? answer(request, response) : false
}

t.test('the commands of the page lead from an empty Debian to a served order', { skip }, async (t) => {
  const issuer = await startIssuer(t)
  signInAtDevices(issuer)
  const mail = await startMailServer(t)
  const machine = await debianMachine(t, issuer.url, mail.port)
  await packFor(machine)
  const began = Date.now()
  const output = await machine.shell(commands()).catch((error: Error) => {
    t.comment(machine.logs())
    throw error
  })
  t.comment(`${Math.round((Date.now() - began) / 1000)} s`)
  const step = (number: number) => output.split(/^== /m).find((each) => each.startsWith(`${number}. `)) ?? ''

  t.match(step(4), 'The database is migrated. The role ssl_server may serve it.')
  t.equal(step(7).match(/"status":"ok"/g)?.length, 2, 'both instances are ready')
  t.match(step(8), `"version":"${version}"`, 'they answer behind the proxy, with TLS')
  const details = JSON.parse(
    step(11)
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^.*?(?=\{)/, '') ?? ''
  )
  t.match(details, { order: { status: { code: 'FULFILLED' } } }, 'deploy/first-order.sh fulfils an order')
  const statuses = details.traceLines.map(
    ({ orderLine, statusChange }: { orderLine?: string; statusChange?: { newStatus: { code: string } } }) =>
      orderLine ? undefined : statusChange?.newStatus.code
  )
  t.same(
    statuses.filter((code: string | undefined) => code !== undefined),
    ['SUBMITTED', 'ACCEPTED', 'FULFILLED']
  )
  t.match(step(12), /^FULFILLED\|1\|/m, 'the restored database has the order')
  t.same(
    [...step(13).matchAll(/"version":"([^"]+)"/g)].map(([, each]) => each),
    [NEXT_VERSION, version, version],
    'the next version serves, and then the former one, also after the restore'
  )
  const sql = (query: string) =>
    machine.shell(`runuser -u postgres -- psql --dbname=ssl --tuples-only --no-align --command="${query}"`)
  t.equal(await sql('select timeline_id from pg_control_checkpoint()'), '2\n', 'the database was restored')
  t.equal(await sql('select status from orders'), 'FULFILLED\n', 'to a moment after the order')
  t.equal(await sql('show archive_library'), 'basic_archive\n', 'and archives its changes')

  for (const name of ['owner.env', 'settings.env'])
    t.equal(statSync(machine.here(`/etc/ssl-backend/${name}`)).mode & 0o777, 0o600, name)
  t.notOk(existsSync(machine.here('/etc/postgresql/15/restored')))
  t.same(
    readdirSync(machine.here('/var/lib/postgresql/archive')).filter((name) => name.endsWith('.history')),
    ['00000002.history'],
    'the restored database writes to the archive, and the second cluster wrote nothing'
  )

  t.equal(
    readFileSync(machine.here('/usr/local/sbin/ssl-backend'), 'utf8'),
    machine.here(readFileSync('deploy/systemd/ssl-backend.sh', 'utf8')),
    'the script is installed'
  )
  const reference = 'https://fhir.example/Patient/opdigtet'
  await machine.shell(`ssl-backend operator patient export - --to patient.json <<< ${reference}`)
  const exported = readFileSync(machine.here('/var/lib/ssl-operator/patient.json'), 'utf8')
  t.match(exported, 'Asta Opdigtet', 'the script runs commands of operators')
  t.equal(
    await sql("select user_id from audit_events where operation = 'exportPatient'"),
    'operator\n',
    'the audit record names the account that logged in'
  )
  await machine.shell(runbookCommands())

  const archived = machine.here('/var/lib/postgresql/archive')
  const old = '000000010000000000000000'
  await machine.shell(`touch ${archived}/${old} && systemctl start pg_basebackup@15-main`)
  t.notMatch(readdirSync(archived).join(), old, 'a base backup removes what the kept ones do not need')

  for (const [alert, of] of [
    ['MailTest', 'step 9'],
    ['SslDatabaseDiskNearlyFull', 'a metric of the node exporter']
  ] as const) {
    const found = () => mail.mails.find(({ text }) => text.includes(alert))
    await until(found)
    t.match(found()?.text, /^To: duty@example\.org\r$/m, `the people on duty get an e-mail about ${of}`)
  }
  // A program that listens on all addresses also listens on this one.
  for (const port of [9090, 9093, 9100, 9115, 9187])
    await t.rejects(fetch(`http://127.0.0.2:${machine.port(port)}`), `${port} is for this machine only`)

  const prometheus = `http://127.0.0.1:${machine.port(9090)}/api/v1`
  const get = async (path: string) => JSON.stringify(await (await fetch(`${prometheus}/${path}`)).json())
  for (const query of [
    'count(up{job="ssl-backend"} == 1) == 2',
    'time() - base_backup_timestamp_seconds{job="ssl-database"} < 86400',
    'pg_up{job="ssl-postgres"} == 1',
    'pg_stat_archiver_archived_count{job="ssl-postgres"} > 0',
    'probe_success{job="ssl-certificate"}'
  ])
    await until(async () => (await get(`query?query=${encodeURIComponent(query)}`)).includes('"value"'))
  t.match(await get('rules'), 'SslInstanceDown', 'Prometheus has the alerts')

  const realmFile = machine.here('/root/realm.json')
  const { users, groups, clients } = JSON.parse(readFileSync(realmFile, 'utf8'))
  t.equal(statSync(realmFile).mode & 0o777, 0o600, 'it has passwords')
  t.same(clients[0].redirectUris, ['https://ssl.example.org/sign-in'])
  const paths = groups.flatMap(
    ({ name, subGroups = [] }: { name: string; subGroups?: { name: string }[] }) => [
      `/${name}`,
      ...subGroups.map((each) => `/${name}/${each.name}`)
    ]
  )
  t.equal(users.length, userTypes.length)
  for (const [index, user] of users.entries()) {
    t.equal(user.groups[0], `/${userTypes[index]}`)
    for (const group of user.groups) t.ok(paths.includes(group), group)
    t.match(user.credentials, [{ type: 'password', value: /^[0-9a-f]{24}$/, temporary: true }])
  }
})

t.test('the unit gives an instance the settings of the image, and time to end', async (t) => {
  const unit = readUnit(UNIT_FILE, '1', (text) => text.replace(/^EnvironmentFile.*$/m, ''))
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  const cmd: string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]')
  t.same(unit.commands, [cmd.join(' ')])
  t.match(unit.environment, { NODE_ENV: 'production', PORT: '3001', METRICS_PORT: '9461' })
  const [, settings = ''] = /settings\.env <<END\n([\s\S]*?)^END$/m.exec(page) ?? []
  const lines = settings
    .replaceAll(/\$(\w+)/g, (_, name) => new RegExp(`^${name}=(.*)$`, 'm').exec(page)?.[1] ?? '')
    .trim()
    .split('\n')
    .map((line) => line.split(/=(.*)/s).slice(0, 2))
  const others = { PORT: '3001', DATABASE_URL: 'postgres://127.0.0.1/ssl' }
  const { shutdown, trustProxy } = loadConfig({ ...Object.fromEntries(lines), ...others })
  t.ok(trustProxy)
  t.ok(unit.stopSeconds >= (shutdown.delayMs + shutdown.timeoutMs) / 1000 + 14)
})

const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' })
const skipUnit = analyze('--version').error && 'systemd is not installed; .ci/run installs it'

t.test('systemd accepts the unit and finds it hardened', { skip: skipUnit ?? false }, async (t) => {
  const { status, stderr } = analyze('verify', UNIT_FILE)
  t.equal(status, 0, stderr)
  // In tenths, on a scale up to ten. The value was 13 when this test was written.
  const security = analyze('security', '--offline=true', '--threshold=15', UNIT_FILE)
  t.equal(security.status, 0, security.stdout + security.stderr)
})
