import Fastify from 'fastify'
import t from 'tap'
import { type AccessRule, permissionsOf } from '../../src/platform/auth/access-rule.js'
import type { Call } from '../../src/platform/auth/call.js'
import type { Caller, UserType } from '../../src/platform/auth/caller.js'
import { identifyCaller } from '../../src/platform/auth/identify-caller.js'
import { authorizeAs, isAuthorized, scopeOf } from '../../src/platform/auth/scope.js'
import type { Problem } from '../../src/platform/errors/problem.js'
import { beginRequest } from '../../src/platform/server/request-state.js'

const organization = 'https://fhir.example/Organization/o'
const callerOf = (userType: UserType, permissions: string[]): Caller => ({
  userType,
  userId: 'u',
  name: 'n',
  organization,
  permissions: new Set(permissions),
  token: ''
})

/** The scope, or the code of the refusal. */
function codeOf(scope: () => string): string {
  try {
    return scope()
  } catch (refusal) {
    return (refusal as Problem).code
  }
}

t.test('a rule decides which callers are admitted and what they can reach', async (t) => {
  const rule: AccessRule = {
    permission: 'Order.update',
    scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'own-buyer' }
  }
  const both: AccessRule = { ...rule, also: ['OrderLine.read'] }
  const reading: AccessRule = { ...rule, permission: 'Order.read' }
  interface Case {
    by: UserType
    permissions: string[]
    rule?: AccessRule
    of?: string | undefined
    scope: string
  }
  const nurse = 'MonitoringResponsible'
  const cases: Case[] = [
    { by: nurse, permissions: ['Order.update'], scope: 'own-buyer' },
    { by: nurse, permissions: ['Order.write'], scope: 'own-buyer' },
    { by: nurse, permissions: ['Order.*'], scope: 'own-buyer' },
    { by: 'AdministrativeClerk', permissions: ['Order.update'], of: undefined, scope: 'any' },
    { by: nurse, permissions: ['Order.update'], of: undefined, scope: 'forbidden' },
    { by: 'Provider', permissions: ['Order.update'], scope: 'forbidden' },
    { by: nurse, permissions: [], scope: 'forbidden' },
    {
      by: nurse,
      permissions: ['Order.read', 'Order.create', 'OrderLine.*', '*', '*.update'],
      scope: 'forbidden'
    },
    { rule: reading, by: nurse, permissions: ['Order.read'], scope: 'own-buyer' },
    { rule: reading, by: nurse, permissions: ['Order.*'], scope: 'own-buyer' },
    { rule: reading, by: nurse, permissions: ['Order.write', 'Order.update'], scope: 'forbidden' },
    { rule: both, by: nurse, permissions: ['Order.update', 'OrderLine.read'], scope: 'own-buyer' },
    { rule: both, by: nurse, permissions: ['Order.update'], scope: 'forbidden' },
    { rule: both, by: nurse, permissions: ['OrderLine.read'], scope: 'forbidden' }
  ]
  for (const { rule: asked = rule, by, permissions, scope, ...rest } of cases) {
    const caller = {
      ...callerOf(by, permissions),
      organization,
      ...('of' in rest && { organization: rest.of })
    }
    const what = `${permissionsOf(asked)} ${by} ${permissions} ${caller.organization}`
    t.equal(
      codeOf(() => scopeOf(caller, asked)),
      scope,
      what
    )
    t.equal(isAuthorized(caller, asked), scope !== 'forbidden', what)
  }
  const call = { caller: callerOf('AdministrativeClerk', ['Order.*']), scope: 'own-buyer' } as Call
  t.match(authorizeAs(call, rule), { caller: { userType: 'AdministrativeClerk' }, scope: 'any' })
  t.equal(call.scope, 'own-buyer', 'the call is unchanged')
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

t.test('a request without a caller has no subjects for the audit record', async (t) => {
  const app = Fastify()
  app.addHook('onRequest', beginRequest(app, { limits: { requestTimeout: 1000 } }))
  const authenticate = async () => callerOf('Provider', [])
  app.addHook('onRequest', identifyCaller(app, { authenticate, limit: async () => {} }))
  app.get('/open', { config: { access: 'public' } }, async ({ state: { auditContext } }) => ({
    auditContext
  }))
  t.teardown(() => app.close())
  t.same((await app.inject('/open')).json(), { auditContext: null })
})
