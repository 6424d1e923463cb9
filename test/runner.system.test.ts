import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { compile } from '../scripts/test/compile.js'
import { type FileResult, runFiles } from '../scripts/test/run-files.js'
import { shuffled } from '../scripts/test/test-files.js'
import { compiledIn } from './fixtures/compiled.js'

/* The runner of the tests: scripts/test. */

/** The files that the runner runs, by their behaviour. */
const sources = {
  passing: `t.test('passes', async (t) => {
  t.equal(1, 1)
  t.test('also inside', async (t) => t.ok(true))
})`,
  failing: `t.test('one of two assertions fails', async (t) => {
  t.ok(true)
  t.same({ a: 1 }, { a: 2 }, 'compares')
})`,
  hanging: `t.test('passes', async (t) => t.pass())
t.test('waits for nothing', async (t) => {
  t.pass('before it waits')
  await new Promise(() => setInterval(() => {}, 1000))
})`,
  progressing: `t.test('takes longer than a file that hangs', async (t) => {
  for (let second = 0; second < 23; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    t.pass()
  }
})`,
  skipping: `t.test('needs a program', { skip: 'a program is not installed' }, async (t) => t.fail())`,
  'leaving-a-server': `import { createServer } from 'node:net'

t.test('starts a server', async (t) => {
  await new Promise<void>((resolve) => createServer().listen(0, '127.0.0.1', resolve))
  t.pass()
})`,
  'leaving-a-connection': `t.test('connects', async (t) => {
  const sql = postgres(process.env.TEST_DATABASE_URL ?? '', { max: 1 })
  t.equal((await sql\`select 1 as one\`)[0]?.one, 1)
})`,
  throwing: `throw new Error('It does not load.')`,
  'without-tests': `export const nothing = undefined`,
  exiting: `t.test('ends its process', async () => {
  process.stderr.write('The last words.\\n')
  process.exit(3)
})`,
  'tearing-down': `t.teardown(() => {
  throw new Error('A leak was found.')
})
t.test('passes', async (t) => t.pass())`
}

mkdirSync('dist', { recursive: true })
const folder = mkdtempSync(join('dist', 'testing-runner-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const fileOf = (name: string) => join(folder, `${name}.ts`)
for (const [name, source] of Object.entries(sources))
  writeFileSync(fileOf(name), `import postgres from 'postgres'\nimport t from 'tap'\n${source}`)
await compile(Object.keys(sources).map(fileOf), folder)

/** Runs these files with one process at a time. */
async function run(
  names: readonly string[],
  secondsPerFile = 600,
  stallSeconds = 600
): Promise<FileResult[]> {
  return runFiles(names.map(fileOf), {
    compiled: (file) => compiledIn(folder, file),
    workers: 1,
    secondsPerFile,
    stallSeconds: () => stallSeconds,
    env: process.env,
    onEnd: () => {},
    signal: new AbortController().signal
  })
}

t.test('counts the assertions of each file', async (t) => {
  const [first, second] = await run(['passing', 'passing'])
  t.match(first, { passed: 2, failed: 0, hasRun: true, failures: '' })
  t.match(second, { passed: 0, failed: 1, failures: 'The file has no test.' }, 'a module loads once')
})

t.test('reports a failed assertion with its titles and differences', async (t) => {
  const [failing, passing] = await run(['failing', 'passing'])
  t.match(failing, { passed: 1, failed: 1, hasRun: true })
  t.match(failing?.failures, /not ok .*failing\.js > one of two assertions fails > compares\n/)
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

t.test('kills a file that makes no progress, names its test, and runs the next one', async (t) => {
  const [progressing, hanging, skipping] = await run(['progressing', 'hanging', 'skipping'], 600, 20)
  t.match(progressing, { passed: 23, failed: 0 }, 'a file that makes progress takes longer')
  const reason = /Killed after 20 seconds without progress\. It ran: .* > waits for nothing\n[\s\S]*ok 1/
  t.match(hanging, { passed: 0, failed: 1, failures: reason })
  t.match(skipping, { failed: 0 })
})

t.test('kills a file at its limit', async (t) => {
  const [hanging, passing] = await run(['hanging', 'passing'], 20)
  t.match(hanging, { failed: 1, failures: /Killed after 20 seconds\. It ran: .* > waits for nothing/ })
  t.match(passing, { passed: 2, failed: 0 })
})

t.test('reports the reasons of skipped tests, and that no test ran', async (t) => {
  const [skipping] = await run(['skipping'])
  t.match(skipping, { passed: 0, failed: 0, skipped: ['a program is not installed'], hasRun: false })
})

t.test('a seed gives the same random order each time', async (t) => {
  const files = Array.from({ length: 50 }, (_, at) => `${at}.test.ts`)
  t.same(shuffled(files, 7), shuffled(files, 7))
  t.strictNotSame(shuffled(files, 7), shuffled(files, 8))
  t.same(shuffled(files, 7).toSorted(), files.toSorted())
})
