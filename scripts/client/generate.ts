import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/platform/program/program.js'
import type { ApiDocuments } from '../api-documents.js'
import { bundledApiDocuments } from './bundled-documents.js'
import { type ClientOperation, printMethod } from './operations.js'
import { type ClientSchema, type Definitions, docComment, typePrinter } from './types.js'

interface ClientDocument {
  definitions: Definitions
  paths: Record<string, Record<string, ClientOperation>>
}

const FOLDER = join(projectRoot, 'clients', 'typescript', 'src', 'generated')
const HEADER = '// Generated from the OpenAPI documents by npm run client.\n\n'

const APIS = [
  ['ssl-catalogue', 'CatalogueApi', 'catalogue-api.ts'],
  ['ssl-order', 'OrderApi', 'order-api.ts']
] as const

/**
 * Writes the types and methods of the client in clients/typescript, which are not in git, from the
 * OpenAPI documents. Files that are up to date stay as they are.
 */
export async function writeClient(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  for (const [name, text] of generatedFiles(await bundledApiDocuments())) {
    const file = join(FOLDER, name)
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
  }
}

/** The generated files, by their names. */
function generatedFiles({ openApi20 }: ApiDocuments): Map<string, string> {
  const documents = APIS.map(([api, className, file]) => {
    return { api, className, file, document: openApi20[api] as unknown as ClientDocument }
  })
  const definitions = documents.map(({ document }) => document.definitions).reduce(merge)
  const print = typePrinter(definitions)
  const types = Object.entries(definitions)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => `${docComment(schema.description)}export type ${name} = ${print(schema)}`)
  const classes = documents.map(({ className, file, document, api }) => {
    const methods = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => printMethod(path, method, operation, print))
    )
    const resources = Object.entries(document.paths).flatMap(([path, { get }]) =>
      get ? (/^\/([\w-]+)\/\{id\}$/.exec(path)?.slice(1) ?? []) : []
    )
    const names = resources.map((name) => `'${name}'`).join(' | ')
    const body = `${docComment(`The operations of ${api}.`)}export class ${className} extends Api<${names}> {\n${methods.join('\n\n')}\n}\n`
    return [file, HEADER + imports(body, Object.keys(definitions)) + body] as const
  })
  return new Map([['types.ts', `${HEADER}${types.join('\n\n')}\n`], ...classes])
}

/** Both documents have the same definitions, except for the codes of problems. */
const merge = (some: Definitions, others: Definitions): Definitions => ({
  ...some,
  ...others,
  ...Object.fromEntries(
    ['Problem', 'FieldProblem'].map((name) => [name, withCodes(some[name] ?? {}, others[name] ?? {})])
  )
})

function withCodes(one: ClientSchema, other: ClientSchema): ClientSchema {
  const codes = [one, other].flatMap(({ properties }) => properties?.code?.enum ?? [])
  const code = { ...one.properties?.code, enum: [...new Set(codes)].sort() }
  return { ...one, properties: { ...one.properties, code } }
}

function imports(body: string, names: readonly string[]): string {
  const code = body.replace(/\/\*\*.*?\*\//g, '')
  const used = (name: string) => new RegExp(`\\b${name}\\b`).test(code)
  const options = ['CallOptions', 'PostOptions', 'ReadOptions', 'WriteOptions'].filter(used)
  return [
    `import { Api, ${options.map((name) => `type ${name}`).join(', ')} } from '../api.js'`,
    ...(used('PatchOf') ? ["import type { PatchOf } from '../patch.js'"] : []),
    `import type { ${names.filter(used).sort().join(', ')} } from './types.js'`,
    '\n'
  ].join('\n')
}
