import { type AccessRule, permissionsOf, type RouteAccess } from '../auth/access-rule.js'
import type { Scope } from '../auth/call.js'
import type { CodeSamples } from './code-samples.js'
import { unwrapped } from './text.js'

/** Documentation of a route beyond its schemas and access rule. */
export interface RouteDoc {
  /** What the operation does, and the rules of the use case, in Markdown. */
  description: string
  /** Description of its tag. */
  tagDescription: string
  /** Codes of the problems that the use case throws. */
  errors?: readonly string[]
  /** Whether the path is shown with a slash at its end. Paths are served with and without one. */
  hasSlash?: boolean
  /** Description of the file in the form field `file`, the only body of the route. */
  upload?: string
  /** Whether the response has the resource with `Prefer: return=representation`. */
  isRepresentable?: boolean
  /** Whether `If-Match` is supported. */
  isConditional?: boolean
}

const scopeTexts: Readonly<Record<Scope, string>> = {
  any: 'everything',
  own: 'resources of its own organization',
  'own-buyer': 'resources of the buyers of its own organization',
  'own-seller': 'resources of the sellers of its own organization',
  administered:
    'resources of its own organization: its parties and those it registered, the catalogues of these, contracts with it as account or buyer',
  'administered-buyer': 'resources of the buyers of its own organization and of those it registered'
}

interface RouteSchema {
  operationId?: string
  body?: unknown
  params?: unknown
  description?: string
  /** Whether the route is an alias, which the documents omit. */
  hide?: boolean
}

/** Adds access rule, documentation and problem codes to a schema. Hides undocumented routes. */
export function describeOperation(
  schema: RouteSchema | undefined,
  {
    access,
    doc,
    isPost,
    isSearch = false,
    samples
  }: {
    access?: RouteAccess
    doc?: RouteDoc
    isPost: boolean
    isSearch?: boolean
    samples: CodeSamples
  }
): object {
  if (!schema || schema.hide || !doc || typeof access !== 'object') return { ...schema, hide: true }
  const isRepeatable = isPost && !isSearch
  const codeSamples = samples[schema.operationId ?? '']
  return {
    ...schema,
    ...(doc.upload === undefined ? {} : formOf(doc.upload)),
    ...((isRepeatable || doc.isRepresentable || doc.isConditional) && {
      headers: {
        type: 'object',
        properties: {
          ...(isRepeatable && idempotencyHeader),
          ...(doc.isRepresentable && preferHeader),
          ...(doc.isConditional && ifMatchHeader)
        }
      }
    }),
    description: unwrapped(`${doc.description}\n\n${accessSentences(access)}`),
    'x-access': {
      permission: access.permission,
      ...(access.also && { also: access.also }),
      ...(access.alternatives && { alternatives: access.alternatives }),
      userTypes: access.scopes
    },
    ...(codeSamples && { 'x-codeSamples': codeSamples }),
    'x-codes': codeListOf(schema, doc, access, { isRepeatable, isSearch })
  }
}

/** A header of every POST that writes. */
const idempotencyHeader = {
  'Idempotency-Key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[!-~]+$',
    description:
      'A new value for each request, such as a UUID. A repeat with the same key and body within 24 hours gets the response of the first request and creates nothing.'
  }
}

const preferHeader = {
  Prefer: {
    type: 'string',
    description:
      'With `return=representation` the response has the resource, as GET returns it, if the caller may read it.'
  }
}

const ifMatchHeader = {
  'If-Match': {
    type: 'string',
    description:
      '`ETag` of a GET of the resource. If the resource has changed since, the response is 412 and nothing is written. Without it the last writer wins.'
  }
}

/** A form with a file, in OpenAPI 2.0. */
const formOf = (file: string) => ({
  consumes: ['multipart/form-data'],
  body: { type: 'object', required: ['file'], properties: { file: { type: 'file', description: file } } }
})

function accessSentences({ scopes, patientData, ...rule }: AccessRule): string {
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

/** Problem codes of every operation with a token. */
const COMMON_CODES = [
  'unauthorized',
  'forbidden',
  'organization-replaced',
  'too-many-requests',
  'internal-error',
  'database-unavailable',
  'busy'
] as const

const IDEMPOTENCY_CODES = ['invalid-idempotency-key', 'idempotency-key-reused'] as const

function codeListOf(
  { body, params }: RouteSchema,
  { errors = [], upload, isConditional }: RouteDoc,
  { permission }: AccessRule,
  { isRepeatable, isSearch }: { isRepeatable: boolean; isSearch: boolean }
): string[] {
  const codes = [
    ...(body ? ['invalid-body', 'malformed-json', 'payload-too-large', 'unsupported-media-type'] : []),
    ...(upload === undefined ? [] : ['payload-too-large', 'unsupported-media-type']),
    'invalid-query',
    'malformed-text',
    ...(params ? ['not-found'] : []),
    ...COMMON_CODES,
    ...(permission.endsWith('.read') || isSearch ? [] : ['outcome-unknown']),
    // A repeat gets 404 when the caller no longer sees what the first request made.
    ...(isRepeatable ? [...IDEMPOTENCY_CODES, 'not-found'] : []),
    ...(isConditional ? ['precondition-failed'] : []),
    'token-issuer-unavailable',
    ...errors
  ]
  return [...new Set(codes)]
}
