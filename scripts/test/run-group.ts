import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { END_OF_FILE } from './tap-report.js'

/* Runs test files in this process in sequence: most run faster than their imports load. */

type Teardown = () => unknown

// tap would run them at the end of the process, and end the tests once none waits while a file
// still prepares its own.
const teardowns: Teardown[] = []
Object.assign(t, { teardown: (teardown: Teardown) => void teardowns.push(teardown) })

for (const file of process.argv.slice(2)) {
  await import(pathToFileURL(resolve(file)).href)
  // Tests run in the order of their calls: this one ends when those of the file have ended.
  await t.test(`${END_OF_FILE}${file}`, async () => {})
  for (const teardown of teardowns.splice(0).reverse()) await teardown()
}
t.end()
