import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../fastify.config.js'
import { buildApp } from '../src/app.js'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'
import { bundlePages } from './bundle-pages.js'
import { withoutProblemExamples } from './document-tools.js'

/*
 * Records the documents that the server serves with its default settings: OpenAPI 2.0 in
 * openapi/<api>.json. Tests compare them with the served ones. With the name of a folder it writes
 * those of OpenAPI 3.1 there instead, which are not recorded.
 */

const APIS = ['ssl-catalogue', 'ssl-order', 'ssl-catalogue-excel']
const [folderOf31] = process.argv.slice(2)
const [target, document] =
  folderOf31 === undefined ? ['openapi', 'openapi.json'] : [folderOf31, 'openapi-3.1.json']
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
    for (const api of APIS) write(join(target, `${api}.json`), await read(`/${api}/v1/${document}`))
  } finally {
    await app.close()
  }
}

const write = (path: string, document: unknown) =>
  writeFileSync(path, JSON.stringify(withoutProblemExamples(document as object)))

await bundlePages()
mkdirSync(target, { recursive: true })
const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data') })
try {
  await migrate(server.url)
  await record(server.url)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
