import { type AccessRule, permissionsOf } from '../auth/access-rule.js'
import type { Scope } from '../auth/call.js'

const scopeTexts: Readonly<Record<Scope, string>> = {
  any: 'everything',
  own: 'resources of its own organization',
  'own-buyer': 'resources of the buyers of its own organization',
  'own-seller': 'resources of the sellers of its own organization',
  administered:
    'resources of its own organization: its parties and those it registered, the catalogues of these, contracts with it as account or buyer',
  'administered-buyer': 'resources of the buyers of its own organization and of those it registered'
}

/** An access rule in Markdown. */
export function accessSentences({ scopes, patientData, ...rule }: AccessRule): string {
  const { alternatives = [] } = rule
  const permissions = [...permissionsOf({ scopes, ...rule }), ...alternatives].map((permission) => {
    const [resource, verb] = permission.split('.')
    const wider = [...(verb === 'read' ? [] : [`\`${resource}.write\``]), `\`${resource}.*\``].join(' or ')
    return `\`${permission}\` (or ${wider})`
  })
  const isPartial = alternatives.length > 0
  const callers = Object.entries(scopes).map(
    ([userType, scope]) =>
      `- ${userType}: ${isPartial ? 'what it can read elsewhere with each of these permissions' : scopeTexts[scope]}`
  )
  return [
    `Permission: ${permissions.join(isPartial ? ' or ' : ' and ')}. User types and what they can access:`,
    ...(callers.length > 0 ? ['', ...callers] : []),
    ...(patientData ? ['', 'Reads or writes patient data. The response must not be stored.'] : [])
  ].join('\n')
}
