import { joinWords } from '../errors/language.js'
import type { Problem } from '../errors/problem.js'
import { platformTexts } from '../errors/texts.js'
import { type AccessRule, permissionsOf } from './access-rule.js'
import type { Call, Scope } from './call.js'
import { type Caller, hasPermission } from './caller.js'
import { authProblem } from './texts.js'

/**
 * The scope that a rule gives the caller, for whom `administered` may include everything.
 * @throws Problem `forbidden`.
 */
export function scopeOf(caller: Caller, rule: AccessRule, administersAll = false): Scope {
  const scope = findScope(caller, rule, administersAll)
  if (typeof scope === 'function') throw scope()
  return scope
}

export const isAuthorized = (caller: Caller, rule: AccessRule): boolean =>
  typeof findScope(caller, rule, false) === 'string'

/** Returns the scope that a rule gives the caller, or a function that makes the problem. */
function findScope(caller: Caller, rule: AccessRule, administersAll: boolean): Scope | (() => Problem) {
  const scope = rule.scopes[caller.userType]
  if (scope === undefined)
    return () =>
      authProblem('forbidden.userType', null, {
        userTypes: joinWords(Object.keys(rule.scopes), platformTexts.and)
      })
  const missing = permissionsOf(rule).find((permission) => !hasPermission(caller, permission))
  const { alternatives = [] } = rule
  if (missing && !alternatives.some((permission) => hasPermission(caller, permission)))
    return () =>
      authProblem('forbidden.permission', null, {
        permissions: joinWords([missing, ...alternatives], platformTexts.or)
      })
  if (scope === 'administered' && administersAll) return 'any'
  if (scope !== 'any' && caller.organization === undefined)
    return () => authProblem('forbidden.noOrganization')
  return scope
}

/** The call with the scope of another rule. */
export const authorizeAs = (call: Call, rule: AccessRule): Call => ({
  ...call,
  scope: scopeOf(call.caller, rule)
})
