import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { XLSX_MEDIA_TYPE } from '../../../src/excel/sheets/writing/write-workbook.js'
import { sandboxArguments, startChild } from '../../../src/xlsx/child-process.js'
import { cloneDatabase } from '../../fixtures/app.js'
import { tokenOf } from '../../fixtures/callers.js'
import { sampleFile } from '../../fixtures/excel/reading.js'
import { readyServer, temporaryFolder } from '../../fixtures/server.js'

/** Actions of code in the child process, each of which must end in an error. */
const attempts = (folder: string): Readonly<Record<string, string>> => ({
  'read /etc/passwd': `(await import('node:fs')).readFileSync('/etc/passwd', 'utf8')`,
  'read the data folder': `(await import('node:fs')).readFileSync(${JSON.stringify(join(folder, 'data', 'secret'))}, 'utf8')`,
  'list the data folder': `(await import('node:fs')).readdirSync(${JSON.stringify(join(folder, 'data'))})`,
  'read the settings': `(await import('node:fs')).readFileSync(${JSON.stringify(join(process.cwd(), '.env.example'))}, 'utf8')`,
  'read the environment of the server': `(await import('node:fs')).readFileSync('/proc/' + process.ppid + '/environ', 'utf8')`,
  'write a file': `(await import('node:fs')).writeFileSync(${JSON.stringify(join(folder, 'written'))}, 'x')`,
  'write beside its code': `(await import('node:fs')).writeFileSync(process.argv[1] + '.written', 'x')`,
  'start a process': `(await import('node:child_process')).spawnSync(process.execPath, ['-e', '0']).pid`,
  'start a worker': `new (await import('node:worker_threads')).Worker('0', { eval: true }).threadId`,
  'load an addon': `process.dlopen({ exports: {} }, '/nowhere.node')`,
  'use WASI': `new (await import('node:wasi')).WASI({ version: 'preview1' })`
})

/**
 * Runs the forbidden actions in a process like the one that reads workbooks, before that process's
 * own code.
 */
async function tried(folder: string): Promise<{ env: object; outcomes: Record<string, unknown> }> {
  const tries = Object.entries(attempts(folder)).map(
    ([name, code]) =>
      `try { ${code}; outcomes[${JSON.stringify(name)}] = 'done' } catch (error) { outcomes[${JSON.stringify(name)}] = error.code }`
  )
  const program = `const outcomes = {}
    ${tries.join('\n')}
    process.send({ env: { ...process.env }, outcomes })`
  const child = await startChild(64, ['--import', `data:text/javascript,${encodeURIComponent(program)}`])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`It ended with ${code} and said nothing.`)
  })
  const [told] = await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  child.kill('SIGKILL')
  return told
}

t.test('code in the process that reads workbooks reaches nothing outside of it', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data', 'secret'), 'secret')
  process.env.SSL_SECRET = 'secret'
  t.teardown(() => {
    delete process.env.SSL_SECRET
  })
  const { env, outcomes } = await tried(folder)
  t.same(env, {}, 'nothing of the environment')
  const names = Object.keys(attempts(folder))
  t.same(Object.keys(outcomes), names)
  for (const name of names) t.match(outcomes[name], /^ERR_(ACCESS_DENIED|DLOPEN_DISABLED)$/, name)
  t.notOk(existsSync(join(folder, 'written')))
})

t.test('the sandbox uses the flag of this Node version', (t) => {
  const read = '--allow-fs-read=/app/*'
  const flagsOf = (...flags: string[]) => sandboxArguments(['/app'], new Set(flags))
  t.same(flagsOf('--permission', '--experimental-permission'), ['--permission', read])
  t.same(flagsOf('--experimental-permission'), ['--experimental-permission', read])
  t.same(flagsOf(), [])
  t.not(sandboxArguments([]).length, 0, 'this one has a flag')
  t.end()
})

const programs = { 'npm start': undefined, 'npm run dev': ['node', '--import', 'tsx', 'src/main.ts'] }

t.test('workbooks are read and marked in the sandbox without a line in the log', async (t) => {
  const authorization = tokenOf('AdministrativeClerk', 'o')
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(sampleFile('libreoffice.xlsx'))]), 'a.xlsx')
  for (const [name, command] of Object.entries(programs)) {
    const server = await readyServer(t, { DATABASE_URL: await cloneDatabase(t) }, command)
    for (const accept of ['application/json', XLSX_MEDIA_TYPE]) {
      const headers = { authorization, accept }
      const url = `${server.url}/ssl-catalogue-excel/v1/catalogue`
      const response = await fetch(url, { method: 'POST', headers, body: form })
      t.equal(response.status, 422, `${name}: its sheets are not those of a catalogue`)
      t.match(response.headers.get('content-type'), accept)
    }
    t.equal(await server.stop(), 0)
    t.notMatch(server.output(), /warn|experimental/i, name)
  }
})
