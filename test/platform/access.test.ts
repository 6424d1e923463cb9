import Fastify from 'fastify'
import t from 'tap'
import {
  type AccessRule,
  accessControl,
  authorizeAs,
  isAuthorized,
  permissionsOf,
  scopeOf
} from '../../src/platform/auth/access.js'
import type { Actor } from '../../src/platform/auth/actor.js'
import type { Caller, UserType } from '../../src/platform/auth/caller.js'
import type { Problem } from '../../src/platform/errors/problem.js'
import { deadlines } from '../../src/platform/server/deadline.js'

const organization = 'https://fhir.example/Organization/o'
const callerOf = (
  userType: UserType,
  permissions: string[],
  of: string | undefined = organization
): Caller => ({
  ...{ userType, userId: 'u', name: 'n', organization: of, permissions: new Set(permissions), token: '' }
})

t.test('a rule decides which callers are admitted and what they can reach', async (t) => {
  const rule: AccessRule = {
    permission: 'Order.update',
    scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'own-buyer' }
  }
  const both: AccessRule = { ...rule, also: ['OrderLine.read'] }
  const reading: AccessRule = { ...rule, permission: 'Order.read' }
  const nobody = ''
  const cases: [
    rule: AccessRule,
    userType: UserType,
    permissions: string[],
    organization: string,
    scope: string
  ][] = [
    [rule, 'MonitoringResponsible', ['Order.update'], organization, 'own-buyer'],
    [rule, 'MonitoringResponsible', ['Order.write'], organization, 'own-buyer'],
    [rule, 'MonitoringResponsible', ['Order.*'], organization, 'own-buyer'],
    [rule, 'AdministrativeClerk', ['Order.update'], nobody, 'any'],
    [rule, 'MonitoringResponsible', ['Order.update'], nobody, 'forbidden'],
    [rule, 'Provider', ['Order.update'], organization, 'forbidden'],
    [rule, 'MonitoringResponsible', [], organization, 'forbidden'],
    [
      rule,
      'MonitoringResponsible',
      ['Order.read', 'Order.create', 'OrderLine.*', '*', '*.update'],
      organization,
      'forbidden'
    ],
    [reading, 'MonitoringResponsible', ['Order.read'], organization, 'own-buyer'],
    [reading, 'MonitoringResponsible', ['Order.*'], organization, 'own-buyer'],
    [reading, 'MonitoringResponsible', ['Order.write', 'Order.update'], organization, 'forbidden'],
    [both, 'MonitoringResponsible', ['Order.update', 'OrderLine.read'], organization, 'own-buyer'],
    [both, 'MonitoringResponsible', ['Order.update'], organization, 'forbidden'],
    [both, 'MonitoringResponsible', ['OrderLine.read'], organization, 'forbidden']
  ]
  for (const [asked, userType, permissions, of, scope] of cases) {
    const caller = callerOf(userType, permissions, of === nobody ? undefined : of)
    if (of === nobody) caller.organization = undefined
    const what = `${permissionsOf(asked)} ${userType} ${permissions} ${of}`
    const scopeFor = () => {
      try {
        return scopeOf(caller, asked)
      } catch (refusal) {
        return (refusal as Problem).code
      }
    }
    t.equal(scopeFor(), scope, what)
    t.equal(isAuthorized(caller, asked), scope !== 'forbidden', what)
  }
  const actor = { ...callerOf('AdministrativeClerk', ['Order.*']), scope: 'own-buyer' } as Actor
  t.match(authorizeAs(actor, rule), { userType: 'AdministrativeClerk', scope: 'any' })
  t.equal(actor.scope, 'own-buyer', 'the caller is unchanged')
})

t.test('a refusal names the missing permission', async (t) => {
  const rule: AccessRule = {
    permission: 'A.read',
    also: ['B.read'],
    scopes: { Provider: 'own-seller', AdministrativeClerk: 'any' }
  }
  const detail = (caller: Caller) => {
    try {
      return scopeOf(caller, rule)
    } catch (refusal) {
      return (refusal as Problem).message
    }
  }
  t.match(detail(callerOf('MonitoringResponsible', [])), /Only Provider and AdministrativeClerk may/)
  t.match(detail(callerOf('Provider', ['A.read'])), /permission B\.read/)
  t.match(detail(callerOf('Provider', [])), /permission A\.read/)
  t.match(detail({ ...callerOf('Provider', ['A.read', 'B.read']), organization: undefined }), /organization/)
})

t.test('a route without a rule keeps the server from starting', async (t) => {
  const server = async (config: object) => {
    const app = Fastify()
    await app.register(deadlines, { requestTimeout: 1000 })
    await app.register(accessControl, {
      authenticate: async () => callerOf('Provider', []),
      limit: async () => {}
    })
    app.get('/told', { config: { access: 'public' } }, async () => 'open')
    app.get('/untold', { config }, async () => 'open')
    t.teardown(() => app.close())
    return app
  }
  await t.rejects(async () => (await server({})).ready(), {
    message: 'Routes without an access rule: GET /untold'
  })
  await (await server({ access: 'public' })).ready()
})

t.test('a request without a caller has no subjects for the audit record', async (t) => {
  const app = Fastify()
  await app.register(deadlines, { requestTimeout: 1000 })
  await app.register(accessControl, {
    authenticate: async () => callerOf('Provider', []),
    limit: async () => {}
  })
  app.get('/open', { config: { access: 'public' } }, async ({ auditContext }) => ({ auditContext }))
  t.teardown(() => app.close())
  t.same((await app.inject('/open')).json(), { auditContext: null })
})
