import t from 'tap'
import type { AccessRule } from '../../src/platform/auth/access-rule.js'
import type { Caller, UserType } from '../../src/platform/auth/caller.js'
import { scopeOf } from '../../src/platform/auth/scope.js'
import { auditedCaller } from '../fixtures/audit/rows.js'

// test/access/every-route.test.ts tests which callers a rule admits.
t.test('an error names the missing user type, permission or organization', async (t) => {
  const rule: AccessRule = {
    permission: 'A.read',
    also: ['B.read'],
    scopes: { Provider: 'own-seller', AdministrativeClerk: 'any' }
  }
  const refuses = (message: RegExp, userType: UserType, permissions: string[] = []) => {
    const caller: Caller = { ...auditedCaller, userType, permissions: new Set(permissions) }
    t.throws(() => scopeOf(caller, rule), { code: 'forbidden', message })
  }
  refuses(/Only Provider and AdministrativeClerk may/, 'MonitoringResponsible')
  refuses(/permission A\.read/, 'Provider')
  refuses(/permission B\.read/, 'Provider', ['A.read'])
  refuses(/organization/, 'Provider', ['A.read', 'B.read'])
})
