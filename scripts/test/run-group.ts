import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'

/* Runs test files in this process in sequence: most run faster than their imports load. */

for (const file of process.argv.slice(2)) {
  await import(pathToFileURL(resolve(file)).href)
  // Tests run in the order of their calls: this one ends when those of the file have ended.
  await t.test(`end of ${file}`, async () => {})
}
