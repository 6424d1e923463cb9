import { writeFileSync } from 'node:fs'
import { generatedDocuments } from './docs/documents.js'

/*
 * Writes the generated sections of the documents, and `.env.example`. The access tables come from
 * the recorded OpenAPI documents: run `npm run openapi` first if an access rule has changed. A test
 * fails if a document is stale.
 */

for (const { path, text } of generatedDocuments()) writeFileSync(path, text)
