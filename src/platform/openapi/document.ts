import type { JsonRecord } from '../json/swagger-schema.js'
import { readCodeSamples } from './code-samples.js'
import { type ApiOperation, type ApiOptions, operationOf } from './operation.js'
import { codesOf, GENERAL_CODES, problemBodyOf, problemTable } from './problems.js'
import type { DocumentedRoute } from './route-doc.js'
import { apiRules, unwrapped } from './text.js'

/** An API, which a document of any version describes. */
export interface ApiDescription {
  info: JsonRecord
  /** Base URL of the API for clients. */
  baseUrl: string
  tags: readonly JsonRecord[]
  operations: readonly ApiOperation[]
}

/** Describes an API by its routes. */
export function describeApi(routes: readonly DocumentedRoute[], options: ApiOptions): ApiDescription {
  const { title, description, baseUrl, problems } = options
  const codes = [...new Set([...GENERAL_CODES, ...routes.flatMap(codesOf)])].sort()
  const problemBody = problemBodyOf(codes)
  const samples = readCodeSamples()
  const tags = new Map(routes.map(({ schema, config }) => [schema.tags[0], config.doc.tagDescription]))
  return {
    info: {
      title,
      description: `${unwrapped(`${description}\n\n${apiRules}`)}\n\n${problemTable(problems, codes)}`,
      version: '1.0.0',
      contact: { name: title, url: `${baseUrl}/docs` },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' }
    },
    baseUrl,
    tags: [...tags].map(([name, text]) => ({ name, description: text })),
    operations: routes.map((route) => operationOf(route, options, samples, problemBody))
  }
}

/** How requests carry their token. */
export const securityScheme = {
  type: 'apiKey' as const,
  in: 'header',
  name: 'authorization',
  description: 'A JSON Web Token, bare or after `Bearer `.'
}

/** The paths of a document. */
export function pathsOf(
  { operations }: ApiDescription,
  write: (operation: ApiOperation) => JsonRecord
): Record<string, JsonRecord> {
  const paths: Record<string, JsonRecord> = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method]: write(operation) }
  }
  return paths
}
