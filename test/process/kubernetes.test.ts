import { readFileSync } from 'node:fs'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { loadConfig, Settings } from '../../fastify.config.js'
import { appBehindProxy } from '../fixtures/database-proxy.js'

/*
 * Compares the manifest of `deploy/kubernetes` with the settings, port, paths and times of the
 * program.
 */

// biome-ignore lint/suspicious/noExplicitAny: objects of every kind
type Manifest = any

const manifests: Manifest[] = parseAllDocuments(
  readFileSync('deploy/kubernetes/ssl-backend.yaml', 'utf8')
).map((document) => {
  if (document.errors.length > 0) throw document.errors[0]
  return document.toJS()
})

function ofKind(kind: string): Manifest {
  const [found, ...others] = manifests.filter((each) => each.kind === kind)
  if (!found || others.length > 0) throw new Error(`There is one ${kind}.`)
  return found
}

const [deployment, job] = [ofKind('Deployment'), ofKind('Job')]
const pod = deployment.spec.template.spec
const [server] = pod.containers
const [migration] = job.spec.template.spec.containers
const environmentOf = ({ env }: Manifest): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }: Manifest) => [name, value ?? 'postgres://db/ssl']))

/** Longer than any observed end of the process, in which pools and child processes close. */
const END_SECONDS = 10
/** The longest time after SHUTDOWN_DELAY until the server accepts no connections. */
const QUIET_SECONDS = 3

t.test('its settings exist and are valid', async (t) => {
  for (const container of [server, migration])
    for (const name of Object.keys(environmentOf(container)))
      t.ok(name in Settings.properties, `${name} is a setting`)
  const config = loadConfig(environmentOf(server))
  t.match(config, { environment: 'prod', host: '0.0.0.0', trustProxy: true })
  t.equal(config.port, server.ports[0].containerPort)
})

t.test('its probes let a pod start when it is ready, and keep it in an outage of the database', async (t) => {
  const { as, proxy } = await appBehindProxy(t)
  const statusOf = async (name: string) => {
    const { path, port } = server[name].httpGet
    t.equal(port, server.ports[0].name)
    return (await as().get(path)).status
  }
  for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe'])
    t.equal(await statusOf(name), 200, name)
  proxy.refuse()
  t.equal(await statusOf('startupProbe'), 503, 'a pod that cannot serve replaces none')
  t.equal(await statusOf('readinessProbe'), 200, 'the pods answer, and not the ingress')
  t.equal(await statusOf('livenessProbe'), 200, 'a lost database restarts no instance')
  t.equal(ofKind('Service').spec.ports[0].targetPort, server.ports[0].name)
})

t.test('a pod gets time for its whole shutdown', async (t) => {
  const { delayMs, timeoutMs } = loadConfig(environmentOf(server)).shutdown
  const [program, seconds] = server.lifecycle.preStop.exec.command
  t.equal(program, 'sleep')
  t.ok(
    pod.terminationGracePeriodSeconds >=
      Number(seconds) + delayMs / 1000 + QUIET_SECONDS + timeoutMs / 1000 + END_SECONDS
  )
})

t.test('instances are replaced one by one, and maintenance leaves enough instances running', async (t) => {
  const budget = ofKind('PodDisruptionBudget').spec
  const { replicas, strategy, selector, template } = deployment.spec
  t.equal(strategy.rollingUpdate.maxUnavailable, 0)
  t.ok(budget.minAvailable >= 1 && budget.minAvailable < replicas)
  for (const labels of [selector.matchLabels, budget.selector.matchLabels, ofKind('Service').spec.selector])
    t.same(labels, template.metadata.labels)
})

t.test('containers have only the rights that they need', async (t) => {
  for (const [spec, container] of [
    [pod, server],
    [job.spec.template.spec, migration]
  ]) {
    t.equal(spec.automountServiceAccountToken, false)
    t.match(spec.securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    t.same(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] }
    })
    t.ok(container.resources.requests.cpu && container.resources.requests.memory)
    t.ok(container.resources.limits.memory)
  }
})

t.test('the owner migrates, another role serves, both from the same image', async (t) => {
  const command = JSON.parse(/^CMD (.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1] ?? '')
  t.same(migration.args, [...command, 'migrate'])
  t.equal(migration.image, server.image)
  const urlOf = ({ env }: Manifest) =>
    env.find(({ name }: Manifest) => name === 'DATABASE_URL').valueFrom.secretKeyRef
  t.equal(urlOf(migration).key, 'owner-url')
  t.equal(urlOf(server).key, 'server-url')
  const roles = readFileSync('deploy/postgres/roles.sql', 'utf8')
  t.match(roles, new RegExp(`create role ${environmentOf(migration).DATABASE_SERVER_ROLE} login`))
})
