import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { loadConfig, Settings } from '../../fastify.config.js'
import { PACKED_FILES } from '../../scripts/pack/program.js'
import { appBehindProxy } from '../fixtures/database-proxy.js'

/*
 * Compares the Dockerfile, `deploy/compose/compose.yaml` and the workflows with the files and
 * settings of the program.
 */

const dockerfile = readFileSync('Dockerfile', 'utf8')
const cmd: string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]')

t.test('the build context of the image has the files that the build packs', async (t) => {
  const visible = [...readFileSync('.dockerignore', 'utf8').matchAll(/^!(.+)$/gm)].map(
    ([, name = '']) => name
  )
  for (const name of visible) t.ok(existsSync(name), name)
  for (const file of [...PACKED_FILES, 'scripts/pack.ts', 'package-lock.json', '.npmrc'])
    t.ok(
      visible.some((name) => file === name || file.startsWith(`${name}/`)),
      file
    )
})

const { services } = parse(readFileSync('deploy/compose/compose.yaml', 'utf8'), { merge: true })
const { database, migrate, server } = services

t.test('the Compose file uses settings that exist and are valid', async (t) => {
  for (const { environment } of [migrate, server])
    for (const name of Object.keys(environment)) t.ok(name in Settings.properties, `${name} is a setting`)
  const inImage = Object.fromEntries(
    (/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').split(' ').map((each) => each.split('='))
  )
  const texts = Object.entries({ ...inImage, ...server.environment }).map(([name, value]) => [
    name,
    String(value).replace(/\$\{\w+:-(\w+)\}/g, '$1')
  ])
  const config = loadConfig(Object.fromEntries(texts.filter(([name = '']) => name in Settings.properties)))
  t.equal(config.host, '0.0.0.0')
  t.same(server.ports, [`127.0.0.1:${config.port}:${config.port}`], 'only this machine reaches it')
  const seconds = Number.parseInt(server.stop_grace_period, 10)
  t.ok(seconds >= (config.shutdown.delayMs + config.shutdown.timeoutMs) / 1000 + 14)
})

t.test('the owner migrates before another role serves, and all containers are restricted', async (t) => {
  const roles = readFileSync('deploy/postgres/roles.sql', 'utf8')
  const roleIn = ({ environment }: { environment: Record<string, string> }) =>
    new URL((environment.DATABASE_URL ?? '').replace(/\$\{.*?\}/, 'secret')).username
  t.same(migrate.command, [...cmd, 'migrate'])
  t.equal(migrate.image, server.image)
  t.equal(migrate.environment.DATABASE_SERVER_ROLE, roleIn(server))
  for (const role of [roleIn(migrate), roleIn(server)]) t.match(roles, `create role ${role} login`)
  t.match(server.depends_on, { migrate: { condition: 'service_completed_successfully' } })
  t.match(migrate.depends_on, { database: { condition: 'service_healthy' } })
  for (const each of [database, migrate, server]) t.match(each, { read_only: true, cap_drop: ['ALL'] })
  for (const mount of database.volumes.slice(1))
    t.ok(existsSync(join('deploy/compose', mount.split(':')[0])), mount)
  const passwords = readFileSync('deploy/compose/passwords.sh', 'utf8')
  for (const name of ['OWNER_PASSWORD', 'SERVER_PASSWORD']) {
    t.ok(name in database.environment)
    t.match(passwords, new RegExp(`^\\\\getenv \\w+ ${name}$`, 'm'))
  }
})

t.test('the health check of the image asks a path that answers in an outage of the database', async (t) => {
  const { as, proxy } = await appBehindProxy(t)
  proxy.refuse()
  const path = /HEALTHCHECK[^`]*`http:\/\/127\.0\.0\.1:\$\{process\.env\.PORT\}([^`]+)`/s.exec(
    dockerfile
  )?.[1]
  t.equal((await as().get(path ?? '')).status, 200)
})

t.test('a release runs scripts that exist, after all checks', async (t) => {
  const release = readFileSync('.github/workflows/release.yml', 'utf8')
  const { jobs } = parse(release)
  t.same(jobs.release.needs, ['check', 'nightly'])
  for (const name of jobs.release.needs)
    t.ok('workflow_call' in parse(readFileSync(jobs[name].uses, 'utf8')).on)
  const scripts = [...release.matchAll(/npm (?:--prefix (\S+) )?run (\S+)/g)]
  t.ok(scripts.length > 1)
  for (const [, folder = '.', name = ''] of scripts)
    t.ok(name in JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).scripts, name)
})

t.test('workflows pin actions, only read by default, and run stages that exist', async (t) => {
  const stages = [...readFileSync('.ci/run', 'utf8').matchAll(/\bstage ([\w-]+) /g)].map(([, name]) => name)
  const folder = '.github/workflows'
  const files = readdirSync(folder)
  t.ok(files.length >= 5)
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    const { permissions, jobs } = parse(text)
    t.same(permissions, { contents: 'read' }, file)
    for (const [, action] of text.matchAll(/uses: ([^.\s].*)/g))
      t.match(action, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, file)
    for (const [, stage = ''] of text.matchAll(/run: \.ci\/run (\S+)/g))
      for (const name of stage === '${{' ? jobs.nightly.strategy.matrix.stage : [stage])
        t.ok(stages.includes(name), `${file}: ${name}`)
  }
})
