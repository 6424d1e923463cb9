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

/** Who may call which operation of an API. Operations with the same rule share a row. */
export function accessTable({ openApi20 }: ApiDocuments, api: DocumentedApi): string {
  const paths = openApi20[api].paths as Paths
  const rows = new Map<string, string[]>()
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { 'x-access': access }] of Object.entries(operations)) {
      const rule = JSON.stringify(ruleCells(access))
      rows.set(rule, [...(rows.get(rule) ?? []), `${method.toUpperCase()} ${path}`])
    }
  return markdownTable(
    ['permission', ...userTypes, 'operations'],
    [...rows].map(([rule, operations]) => [...(JSON.parse(rule) as string[]), codeList(operations)])
  )
}

function ruleCells({
  permission,
  also = [],
  alternatives = [],
  userTypes: scopes
}: DocumentedAccess): string[] {
  const scopeCells = userTypes.map((userType) => {
    const scope = scopes[userType]
    if (scope === undefined) return '–'
    return alternatives.length > 0 ? 'by permission' : scopeNames[scope]
  })
  const either = alternatives.map((each) => ` or ${codeList([each])}`).join('')
  return [codeList([permission, ...also]) + either, ...scopeCells]
}
