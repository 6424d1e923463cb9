import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GENERATED_FOLDER, generateClient } from './client/generate.js'

/*
 * Makes the types and methods of the client in clients/typescript from the recorded OpenAPI
 * documents. A test compares them with the recorded ones.
 */

mkdirSync(GENERATED_FOLDER, { recursive: true })
for (const [file, text] of generateClient()) writeFileSync(join(GENERATED_FOLDER, file), text)
