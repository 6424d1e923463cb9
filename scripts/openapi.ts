import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../fastify.config.js'
import { buildApp } from '../src/app.js'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'

/*
 * Records the documents that the server serves with its default settings: OpenAPI 2.0 in
 * openapi/<api>.json, AsyncAPI in asyncapi/events.json, and the JSON Schema of each type of event in
 * asyncapi/schemas. Tests compare them with the served ones.
 */

const APIS = ['ssl-catalogue', 'ssl-order', 'ssl-catalogue-excel']
const SCHEMA_FOLDER = join('asyncapi', 'schemas')
const folder = mkdtempSync(join(tmpdir(), 'ssl-openapi-'))

async function record(databaseUrl: string): Promise<void> {
  const app = await buildApp(loadConfig({ LOG_LEVEL: 'silent' }), databaseUrl)
  const read = async (path: string) => {
    const response = await app.inject(path)
    if (response.statusCode !== 200)
      throw new Error(`${path} responded with ${response.statusCode}: ${response.body}`)
    return response.json()
  }
  try {
    for (const api of APIS) write(join('openapi', `${api}.json`), await read(`/${api}/v1/openapi.json`))
    const { components, ...document } = await read('/asyncapi.json')
    write(join('asyncapi', 'events.json'), { ...document, components })
    recordSchemas(components.schemas)
  } finally {
    await app.close()
  }
}

/** Records the schemas of single events, whose names have a dot. They refer to no others. */
function recordSchemas(schemas: Record<string, object>): void {
  rmSync(SCHEMA_FOLDER, { recursive: true, force: true })
  mkdirSync(SCHEMA_FOLDER)
  for (const [type, schema] of Object.entries(schemas).filter(([name]) => name.includes('.'))) {
    const head = { $schema: 'http://json-schema.org/draft-07/schema#', $id: `urn:event:${type}` }
    write(join(SCHEMA_FOLDER, `${type}.json`), { ...head, ...schema })
  }
}

const write = (path: string, document: unknown) =>
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`)

for (const each of ['openapi', 'asyncapi']) mkdirSync(each, { recursive: true })
const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data') })
try {
  await migrate(server.url)
  await record(server.url)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
