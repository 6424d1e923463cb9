import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/* Runs test files in this process, one after the other: most of them take less time than loading what they need. */

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href)
