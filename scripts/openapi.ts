import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../fastify.config.js'
import { buildApp } from '../src/app.js'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'

/*
 * Records the OpenAPI 2.0 documents that the server serves with its default settings in
 * openapi/<api>.json. A test compares them with the served ones.
 */

const APIS = ['ssl-catalogue', 'ssl-order', 'ssl-catalogue-excel']
const folder = mkdtempSync(join(tmpdir(), 'ssl-openapi-'))

async function record(databaseUrl: string): Promise<void> {
  const app = await buildApp(loadConfig({ LOG_LEVEL: 'silent' }), databaseUrl)
  try {
    for (const api of APIS) {
      const response = await app.inject(`/${api}/v1/openapi.json`)
      if (response.statusCode !== 200)
        throw new Error(`${api} responded with ${response.statusCode}: ${response.body}`)
      writeFileSync(join('openapi', `${api}.json`), `${JSON.stringify(response.json(), null, 2)}\n`)
    }
  } finally {
    await app.close()
  }
}

mkdirSync('openapi', { recursive: true })
const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data') })
try {
  await migrate(server.url)
  await record(server.url)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
