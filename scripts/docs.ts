import { writeFileSync } from 'node:fs'
import { makeApiDocuments } from './api-documents.js'
import { readArguments } from './arguments.js'
import { generatedDocuments } from './docs/documents.js'

readArguments(`npm run docs

Writes the generated sections of the documents and the list of operations. A test fails if a
section is out of date.`)

for (const { path, text } of generatedDocuments(await makeApiDocuments())) writeFileSync(path, text)
