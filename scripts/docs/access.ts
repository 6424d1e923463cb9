import type { Scope } from '../../src/platform/auth/call.js'
import { type UserType, userTypes } from '../../src/platform/auth/caller.js'
import { markdownTable } from '../../src/platform/openapi/text.js'
import type { ApiDocuments, DocumentedApi } from '../api-documents.js'
import { codeList } from './markdown.js'

/** The access rule of an operation in a document. */
export interface DocumentedAccess {
  permission: string
  also?: string[]
  alternatives?: string[]
  userTypes: Partial<Record<UserType, Scope>>
}

type Paths = Record<string, Record<string, { 'x-access': DocumentedAccess }>>

const scopeNames: Readonly<Record<Scope, string>> = {
  any: 'any',
  own: 'own organization',
  'own-buyer': 'own buyer',
  'own-seller': 'own seller',
  administered: 'administered',
  'administered-buyer': 'administered buyer'
}

/**
 * The user types and permissions of each operation of an API. Operations on a resource with the
 * same access share a row.
 */
export function accessTable({ openApi20 }: ApiDocuments, api: DocumentedApi): string {
  const paths = openApi20[api].paths as Paths
  const rows = new Map<string, Map<string, string[]>>()
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { 'x-access': access }] of Object.entries(operations)) {
      const { subject, verb } = permissionOf(access)
      const row = JSON.stringify([subject, ...scopeCells(access)])
      const byVerb = rows.get(row) ?? new Map<string, string[]>()
      rows.set(row, byVerb.set(verb, [...(byVerb.get(verb) ?? []), `${method.toUpperCase()} ${path}`]))
    }
  return markdownTable(
    ['resource', ...userTypes, 'permission: operations'],
    [...rows].map(([row, byVerb]) => [
      ...(JSON.parse(row) as string[]),
      [...byVerb].map(([verb, operations]) => `${verb}: ${codeList(operations)}`).join('; ')
    ])
  )
}

/** The resource and the verb of a permission. A rule of several permissions has no single resource. */
function permissionOf({ permission, also = [], alternatives = [] }: DocumentedAccess) {
  const [resource = '', verb = ''] = permission.split('.')
  const isSingle = also.length === 0 && alternatives.length === 0
  if (isSingle) return { subject: resource, verb }
  const all = [permission, ...also].map((each) => codeList([each])).join(' and ')
  return { subject: '', verb: [all, ...alternatives.map((each) => codeList([each]))].join(' or ') }
}

const scopeCells = ({ alternatives = [], userTypes: scopes }: DocumentedAccess): string[] =>
  userTypes.map((userType) => {
    const scope = scopes[userType]
    if (scope === undefined) return '–'
    return alternatives.length > 0 ? 'by permission' : scopeNames[scope]
  })
