import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { loadConfig, Settings } from '../fastify.config.js'
import { makeApiDocuments } from '../scripts/api-documents.js'
import { generatedDocuments } from '../scripts/docs/documents.js'
import { allProblems } from '../src/app.js'

const read = (path: string) => readFileSync(path, 'utf8')

const inFolder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

const guides = ['README.md', 'CONTRIBUTING.md', ...inFolder('docs'), ...inFolder('src')]
const policies = ['SECURITY.md', 'CODE_OF_CONDUCT.md', 'RELEASING.md', 'CHANGELOG.md']
const documents = [...guides, ...policies, ...inFolder('pages'), 'test/README.md']

/** Markdown without its code blocks. */
const prose = (path: string) => read(path).replace(/^```[\s\S]*?^```$/gm, '')

/** The anchors of the headings of a document, as GitHub makes them. */
const anchorsIn = (path: string): string[] =>
  [...prose(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  )

t.test('generated documents are up to date', async (t) => {
  const generated = generatedDocuments(await makeApiDocuments())
  t.ok(generated.length >= 4)
  for (const { path, text } of generated) t.equal(read(path), text, `${path}; update it with npm run docs`)
})

t.test('every file for operators is used by a test', async (t) => {
  const files = readdirSync('deploy', { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile()
  )
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(join('test', name)))
  t.ok(files.length > 5)
  for (const { name } of files)
    t.ok(
      tests.some((text) => text.includes(name)),
      name
    )
})

t.test('.env.example has valid settings', async (t) => {
  const lines = [...read('.env.example').matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)]
  t.ok(lines.length >= 10)
  for (const [, name = ''] of lines) t.ok(name in Settings.properties, name)
  t.ok(loadConfig(Object.fromEntries(lines.map(([, name, value]) => [name, value]))))
})

t.test('every problem is documented', async (t) => {
  const table = read('docs/api/errors.md')
  const atCells = read('docs/api/workbooks.md')
  for (const [code, { status, title, remedy }] of Object.entries(allProblems))
    t.ok(
      table.includes(`| \`${code}\` | ${status} | ${title.en} | ${remedy.en} |`) ||
        atCells.includes(`\`${code}\``),
      code
    )
})

t.test('relative links resolve to files and headings', async (t) => {
  let links = 0
  for (const document of documents)
    for (const [, target = ''] of prose(document).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      links++
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? document : join(dirname(document), file)
      t.ok(existsSync(path), `${document}: ${target}`)
      if (anchor !== undefined && existsSync(path))
        t.ok(anchorsIn(path).includes(anchor), `${document}: ${target} is a heading`)
    }
  t.ok(links > 50)
})

t.test('files named in documents exist', async (t) => {
  for (const document of documents)
    for (const [, path = ''] of read(document).matchAll(
      /[`(]((?:src|test|scripts|drizzle|docs|bench)\/[\w./-]+)[`)]/g
    ))
      t.ok(existsSync(path) || existsSync(join(dirname(document), path)), `${document}: ${path}`)
})

t.test('functions named in guides for maintainers exist', async (t) => {
  const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(join('src', name)))
    .join('\n')
  const maintainers = ['CONTRIBUTING.md', 'docs/architecture.md', ...inFolder('src')]
  const named = maintainers.flatMap((document) =>
    [...prose(document).matchAll(/`([a-z]+[A-Z]\w*)[`(]/g)].map(([, name = '']) => ({ document, name }))
  )
  t.ok(named.length > 10)
  for (const { document, name } of named)
    t.match(code, new RegExp(`(?:function|const|interface) ${name}\\b`), `${document}: ${name}`)
})

t.test('scripts named in documents exist', async (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = documents.flatMap((document) =>
    [...read(document).matchAll(/npm (?:run )?(?:(?:-s|--silent) )?([a-z][\w:-]*)/g)]
      .map(([text, name = '']) => ({ document, text, name }))
      .filter(({ text, name }) => text.startsWith('npm run') || ['start', 'test'].includes(name))
  )
  t.ok(named.length > 20)
  for (const { document, text, name } of named) t.ok(name in scripts, `${document}: ${text}`)
})

t.test('the README is short and lines are reviewable', async (t) => {
  const lines = read('README.md').trimEnd().split('\n')
  t.ok(lines.length <= 90, `README.md has ${lines.length} lines`)
  // Table rows cannot be wrapped.
  for (const document of documents)
    for (const [at, line] of read(document).split('\n').entries())
      if (document === 'README.md' || !line.startsWith('| '))
        t.ok(line.length <= 120, `${document}:${at + 1} has ${line.length} characters`)
})

t.test('the README of the tests has every folder', async (t) => {
  const text = read('test/README.md')
  const folders = readdirSync('test', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders) t.match(text, new RegExp(`^\\| .*\`${name}\``, 'm'), name)
})
