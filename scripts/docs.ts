import { writeFileSync } from 'node:fs'
import { generatedDocuments } from './docs/documents.js'

/*
 * Writes the generated parts of the documents, and `.env.example`. The access tables come from the recorded OpenAPI documents: when
 * an access rule changed, run `npm run openapi` first. A test fails when a document is stale.
 */

for (const { path, text } of generatedDocuments()) writeFileSync(path, text)
