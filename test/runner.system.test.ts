import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { compile } from '../scripts/test/compile.js'
import { type FileResult, runFiles } from '../scripts/test/run-files.js'
import { shuffled } from '../scripts/test/test-files.js'
import { compiledIn } from './fixtures/compiled.js'

/* The runner of the tests: scripts/test. */

const fixtures = [
  ...['failing', 'passing', 'hanging', 'skipping', 'leaving-a-server', 'leaving-a-connection', 'throwing'],
  ...['without-tests', 'exiting', 'tearing-down']
].map((name) => `test/fixtures/runner/${name}.ts`)

mkdirSync('dist', { recursive: true })
const folder = mkdtempSync(join('dist', 'testing-runner-'))
t.teardown(() => rmSync(folder, { recursive: true }))
await compile(fixtures, folder)

/** Runs fixtures with one process at a time. */
async function run(names: readonly string[], secondsPerFile = 600): Promise<FileResult[]> {
  return runFiles(
    names.map((name) => `test/fixtures/runner/${name}.ts`),
    {
      compiled: (file) => compiledIn(folder, file),
      workers: 1,
      secondsPerFile,
      env: process.env,
      onEnd: () => {},
      signal: new AbortController().signal
    }
  )
}

t.test('counts the assertions of each file', async (t) => {
  const [first, second] = await run(['passing', 'passing'])
  t.match(first, { passed: 2, failed: 0, hasRun: true, failures: '' })
  t.match(second, { passed: 0, failed: 1, failures: 'The file has no test.' }, 'a module loads once')
})

t.test('reports a failed assertion with its titles and differences', async (t) => {
  const [failing, passing] = await run(['failing', 'passing'])
  t.match(failing, { passed: 1, failed: 1, hasRun: true })
  t.match(failing?.failures, /not ok TAP > one of two assertions fails > compares/)
  t.match(failing?.failures, /- {2}"a": 2,\n.*\+ {2}"a": 1,/)
  t.match(passing, { passed: 2, failed: 0 }, 'the next file in the same process is not affected')
})

const failures: { name: string; reason: RegExp }[] = [
  { name: 'throwing', reason: /It does not load\./ },
  { name: 'without-tests', reason: /The file has no test\./ },
  { name: 'tearing-down', reason: /A leak was found\./ },
  { name: 'leaving-a-server', reason: /The file left open: TCPServerWrap\./ },
  { name: 'leaving-a-connection', reason: /The file left open: TCPSocketWrap/ },
  { name: 'exiting', reason: /Its process ended with 1\.[\s\S]*The last words\./ }
]
for (const { name, reason } of failures)
  t.test(`a file fails that is ${name}, and the next one runs`, async (t) => {
    const [failing, passing] = await run([name, 'passing'])
    t.match(failing, { failed: 1, failures: reason })
    t.match(passing, { passed: 2, failed: 0 })
  })

t.test('a file that hangs is killed at its limit and shows its output, and the next one runs', async (t) => {
  const [passing, hanging, skipping] = await run(['passing', 'hanging', 'skipping'], 20)
  t.match(passing, { passed: 2, failed: 0 })
  t.match(hanging, { passed: 0, failed: 1, failures: /Killed after 20 seconds\.[\s\S]*waits for nothing/ })
  t.match(skipping, { failed: 0 })
})

t.test('names the reasons of skipped tests, and tells that no test ran', async (t) => {
  const [skipping] = await run(['skipping'])
  t.match(skipping, { passed: 0, failed: 0, skipped: ['a program is not installed'], hasRun: false })
})

t.test('a seed gives the same random order each time', async (t) => {
  const files = Array.from({ length: 50 }, (_, at) => `${at}.test.ts`)
  t.same(shuffled(files, 7), shuffled(files, 7))
  t.strictNotSame(shuffled(files, 7), shuffled(files, 8))
  t.same(shuffled(files, 7).toSorted(), files.toSorted())
})
