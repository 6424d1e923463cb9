import { type Access, type AccessRule, permissionsOf } from '../auth/access.js'
import type { Scope } from '../auth/actor.js'
import { unwrapped } from './text.js'

/** What a route's documentation says beyond its schemas and its access rule. */
export interface RouteDoc {
  /** What the operation does and what the use case demands, in Markdown. */
  description: string
  /** What the resources of its tag are. */
  tagDescription: string
  /** Codes of the problems that this use case itself raises. */
  errors?: readonly string[]
  /** What the file is that is sent in the field `file` of a form; no other body is taken then. */
  upload?: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    doc?: RouteDoc
  }
}

const reaches: Readonly<Record<Scope, string>> = {
  any: 'everything',
  own: 'what its own organization made',
  'own-buyer': 'what belongs to a buyer of its own organization',
  'own-seller': 'what belongs to a seller of its own organization',
  administered:
    'what its own organization takes part in or registered: its parties and those that it registered, contracts of which it is account or buyer, catalogues of sellers that it registered or has a contract with'
}

interface RouteSchema {
  body?: unknown
  params?: unknown
  description?: string
}

/** The schema of a route with its access rule, documentation and problem codes; routes without documentation are hidden. */
export function describeOperation(
  schema: RouteSchema | undefined,
  { access, doc }: { access?: Access; doc?: RouteDoc }
): object {
  if (!schema || !doc || typeof access !== 'object') return { ...schema, hide: true }
  return {
    ...schema,
    ...(doc.upload === undefined ? {} : formOf(doc.upload)),
    description: unwrapped(`${doc.description}\n\n${accessSentences(access)}`),
    'x-access': {
      permission: access.permission,
      ...(access.also && { also: access.also }),
      userTypes: access.scopes
    },
    'x-codes': codesOf(schema, doc, access)
  }
}

/** A form with a file, as OpenAPI 2.0 has it. */
const formOf = (file: string) => ({
  consumes: ['multipart/form-data'],
  body: { type: 'object', required: ['file'], properties: { file: { type: 'file', description: file } } }
})

function accessSentences({ scopes, patientData, ...rule }: AccessRule): string {
  const permissions = permissionsOf({ scopes, ...rule }).map((permission) => {
    const [resource, verb] = permission.split('.')
    const wider = [...(verb === 'read' ? [] : [`\`${resource}.write\``]), `\`${resource}.*\``].join(' or ')
    return `\`${permission}\`, within ${wider} as well`
  })
  const callers = Object.entries(scopes).map(([userType, scope]) => `- ${userType}: ${reaches[scope]}`)
  return [
    `Permission: ${permissions.join('; ')}. Callers and what they reach:`,
    ...(callers.length > 0 ? ['', ...callers] : []),
    ...(patientData ? ['', 'Patient data are read or written, so no cache keeps the answer.'] : [])
  ].join('\n')
}

/** What can go wrong with every operation that needs a token. */
const always = [
  'unauthorized',
  'forbidden',
  'too-many-requests',
  'internal-error',
  'database-unavailable',
  'busy'
] as const

function codesOf(
  { body, params }: RouteSchema,
  { errors = [], upload }: RouteDoc,
  { permission }: AccessRule
): string[] {
  const codes = [
    ...(body ? ['invalid-body', 'malformed-json', 'payload-too-large', 'unsupported-media-type'] : []),
    ...(upload === undefined ? [] : ['payload-too-large', 'unsupported-media-type']),
    'invalid-query',
    'malformed-text',
    ...(params ? ['not-found'] : []),
    ...always,
    ...(permission.endsWith('.read') ? [] : ['outcome-unknown']),
    'token-issuer-unavailable',
    ...errors
  ]
  return [...new Set(codes)]
}
