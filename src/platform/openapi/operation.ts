import { STATUS_CODES } from 'node:http'
import type { ProblemTable } from '../errors/problem.js'
import type { JsonRecord } from '../json/swagger-schema.js'
import { type HeaderSchema, requestHeaders, responseHeaders } from './headers.js'
import { codesOf, problemResponses } from './problems.js'
import type { DocumentedRoute } from './route-doc.js'
import { accessSentences, joinWrappedLines } from './text.js'

/** An operation as its route declares it, with the validating schemas. */
export interface ApiOperation {
  /** The path below the base URL: `/order/{id}`. */
  path: string
  method: string
  /** Members that are the same in every version of OpenAPI. */
  members: JsonRecord
  inputs: readonly ApiInput[]
  consumes: readonly string[] | undefined
  produces: readonly string[] | undefined
  responses: Readonly<Record<string, ApiResponse>>
}

/** A parameter, the body, or a field of a form. */
export interface ApiInput {
  in: 'query' | 'body' | 'form' | 'path' | 'header'
  name: string
  required: boolean
  schema: JsonRecord
}

export interface ApiResponse {
  description: string
  headers: Readonly<Record<string, HeaderSchema>>
  schema?: JsonRecord
  /** Only of problems. The other examples are made from their schemas. */
  example?: JsonRecord
  'x-codes'?: readonly string[]
}

/** The inputs of the description of an API in addition to its routes. */
export interface ApiOptions {
  title: string
  description: string
  baseUrl: string
  /** Prefix of the routes, which the paths omit. */
  prefix: string
  hasEtags: boolean
  problems: ProblemTable
  /** The URL of a problem's page, without its code. */
  problemBase: string
}

export function operationOf(
  route: DocumentedRoute,
  { prefix, hasEtags, problems, problemBase }: ApiOptions,
  problemBody: JsonRecord
): ApiOperation {
  const { schema, config, url, method } = route
  const { doc, access } = config
  const { scopes, patientData: _, ...permissions } = access
  const { operationId = '', summary, tags, querystring, body, params, consumes, produces } = schema
  const hasEtag = hasEtags && method === 'GET'
  const path = `${url.replace(prefix, '')}${doc.hasSlash ? '/' : ''}` || '/'
  return {
    path: path.replace(/:(\w+)/g, '{$1}'),
    method: method.toLowerCase(),
    members: {
      ...{ operationId, summary, tags },
      description: joinWrappedLines(`${doc.description}\n\n${accessSentences(access)}`),
      security: [{ token: [] }],
      'x-access': { ...permissions, userTypes: scopes }
    },
    inputs: [
      ...inputsOf('query', querystring),
      ...(body ? [{ in: 'body', name: 'body', required: true, schema: body as JsonRecord } as const] : []),
      ...(doc.upload === undefined ? [] : [fileOf(doc.upload)]),
      ...inputsOf('path', params),
      ...inputsOf('header', { properties: requestHeaders(route, hasEtag) })
    ],
    consumes: doc.upload === undefined ? consumes : ['multipart/form-data'],
    produces,
    responses: {
      ...successesOf(route, hasEtag),
      ...(hasEtag && { 304: { description: statusText(304), headers: responseHeaders({ ETag: true }) } }),
      ...problemResponses(codesOf(route), problems, problemBase, problemBody)
    }
  }
}

interface ObjectSchema {
  properties: Readonly<Record<string, JsonRecord>>
  required?: readonly string[]
}

function inputsOf(place: ApiInput['in'], schema: unknown): ApiInput[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Partial<ObjectSchema>
  return Object.entries(properties).map(([name, each]) => ({
    in: place,
    name,
    required: place === 'path' || required.includes(name),
    schema: each
  }))
}

const fileOf = (description: string): ApiInput => ({
  in: 'form',
  name: 'file',
  required: true,
  schema: { type: 'string', format: 'binary', description }
})

function successesOf(
  { method, schema, config }: DocumentedRoute,
  hasEtag: boolean
): Record<string, ApiResponse> {
  const { properties = {} } = (schema.querystring ?? {}) as Partial<ObjectSchema>
  const { isRepresentable = false } = config.doc
  const responses = Object.entries(schema.response as Record<string, JsonRecord>)
  return Object.fromEntries(
    responses.map(([status, body]) => {
      const isCreated = status === '201'
      if (body.type === 'null')
        return [
          status,
          { description: statusText(status), headers: responseHeaders({ Location: isCreated }) }
        ]
      const headers = responseHeaders({
        Link: method === 'GET' && body.type === 'array',
        ETag: hasEtag || (isRepresentable && body.type !== 'array'),
        'Preference-Applied': isRepresentable,
        'X-Total-Count': 'count' in properties,
        'X-Updated-Until': 'updatedSince' in properties,
        Location: isRepresentable && isCreated
      })
      return [status, { description: body.description, schema: body, headers }]
    })
  )
}

const statusText = (status: number | string) => STATUS_CODES[status] ?? ''
