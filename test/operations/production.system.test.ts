import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { archive, packProgram } from '../../scripts/pack/program.js'
import { userTypes } from '../../src/platform/auth/caller.js'
import { usualPermissions } from '../../src/platform/auth/tokens/unsigned-token.js'
import { type Issuer, startIssuer } from '../fixtures/issuer.js'
import { debianMachine, type Machine, skip } from '../fixtures/production/machine.js'
import { startMailServer } from '../fixtures/production/mail.js'
import { readUnit } from '../fixtures/production/unit.js'
import { runbook } from '../fixtures/prometheus/documents.js'

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

/** Lets an alert about the disk fire, and its mail be sent, at once. */
const atOnce = (text: string) =>
  text
    .replace('interval: 15s', 'interval: 1s')
    .replace(/_interval: 15s/g, '_interval: 1s')
    .replace('group_wait: 30s', 'group_wait: 1s')
    .replace('smtp_require_tls: true', 'smtp_require_tls: false')
    .replace(
      /(job="ssl-database", fstype!~")[^"]*("}\s+\/ node_filesystem_size_bytes <) 0\.1\n( +for:) 10m/,
      '$1none$2 2\n$3 1s'
    )

/** Packs the program with the paths of a machine, as two versions. */
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

/** Lets people sign in at a device: a user of each type, in this order. */
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

t.test('from a bare Debian to a served order, by the page', { skip }, async (t) => {
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
  t.match(details, { order: { status: { code: 'FULFILLED' } } })
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
  t.notOk(existsSync(machine.here('/etc/postgresql/15/trial')))
  t.same(
    readdirSync(machine.here('/var/lib/postgresql/archive')).filter((name) => name.endsWith('.history')),
    ['00000002.history'],
    'the restored database writes to the archive, and the trial wrote nothing'
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
    ['Trial', 'step 9'],
    ['SslDatabaseDiskNearlyFull', 'a metric of the node exporter']
  ] as const) {
    const found = () => mail.mails.find((each) => each.includes(alert))
    while (!found()) await pause(100)
    t.match(found(), /^To: duty@example\.org\r$/m, `the people on duty get an e-mail about ${of}`)
  }
  // A program that listens on all addresses also listens on this one.
  for (const port of [9090, 9093, 9100])
    await t.rejects(fetch(`http://127.0.0.2:${machine.port(port)}`), `${port} is for this machine only`)

  const query = encodeURIComponent('count(up{job="ssl-backend"} == 1) == 2')
  const prometheus = `http://127.0.0.1:${machine.port(9090)}/api/v1`
  const get = async (path: string) => JSON.stringify(await (await fetch(`${prometheus}/${path}`)).json())
  while (!(await get(`query?query=${query}`)).includes('"value"')) await pause(100)
  t.match(await get('rules'), 'SslInstanceAway', 'Prometheus has the alerts')

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

t.test('the unit gives an instance what the image gives it, and time to end', async (t) => {
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
  t.ok(unit.stopSeconds >= (shutdown.delayMs + shutdown.timeoutMs) / 1000 + 13)
})

const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' })
const skipUnit = analyze('--version').error && 'systemd is not installed; .ci/run installs it'

t.test('systemd accepts the unit and finds it hardened', { skip: skipUnit ?? false }, async (t) => {
  const { status, stderr } = analyze('verify', UNIT_FILE)
  t.equal(status, 0, stderr)
  // In tenths, on a scale of ten: 13 when it was written.
  const security = analyze('security', '--offline=true', '--threshold=15', UNIT_FILE)
  t.equal(security.status, 0, security.stdout + security.stderr)
})
