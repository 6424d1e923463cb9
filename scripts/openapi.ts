import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeApiDocuments } from './api-documents.js'
import { readArguments } from './arguments.js'

const {
  positionals: [folder = join('dist', 'documents')]
} = readArguments(
  `npm run openapi -- [<folder>]

Writes the documents that the server serves with its default settings into a folder, by default
dist/documents: <api>.json in OpenAPI 3.1, <api>.swagger.json in OpenAPI 2.0, and asyncapi.json. A
release has them.`,
  { allowPositionals: true }
)
const { openApi20, openApi31, asyncApi } = await makeApiDocuments()
mkdirSync(folder, { recursive: true })
const write = (name: string, document: object) => writeFileSync(join(folder, name), JSON.stringify(document))
for (const [api, document] of Object.entries(openApi31)) write(`${api}.json`, document)
for (const [api, document] of Object.entries(openApi20)) write(`${api}.swagger.json`, document)
write('asyncapi.json', asyncApi)
