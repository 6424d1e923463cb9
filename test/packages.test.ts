import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

interface Package {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  bin?: Record<string, string>
}

const read = (file: string) => readFileSync(file, 'utf8')
const inFolder = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
const folders = ['src', 'pages', 'examples', 'test', 'scripts', 'bench', 'drizzle', 'clients']
const sources = [...folders, 'fastify.config.ts']
  .flatMap((path) => (path.endsWith('.ts') ? path : inFolder(path)))
  .filter((file) => /\.([cm]?[jt]sx?|css)$/.test(file) && !file.startsWith(join('bench', 'cache')))
  .map(read)
const programsIn = (...names: string[]) => names.map((name) => read(join('.ci', name)))
const tools = programsIn('documents', 'clients', 'asyncapi.mjs')
const scripts = JSON.stringify(JSON.parse(read('package.json')).scripts)

const NAME = String.raw`((?:@[\w-]+/)?[a-z][\w.-]*)`
/** An import, a `require`, or a path to a file of a package. */
const IMPORT = new RegExp(
  String.raw`^@?(?:import|export) (?:[\w\s{},*]*? from )?['"]${NAME}['"/]|\b(?:import|require)\('${NAME}['/]|node_modules/${NAME}`,
  'gm'
)

const namesIn = (texts: readonly string[], pattern: RegExp) =>
  new Set(
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([, ...names]) => names.find(Boolean) ?? ''))
  )

const manifests = {
  '.': { used: namesIn(sources, IMPORT), shell: [scripts, ...programsIn('run', 'main-flow')] },
  '.ci': { used: namesIn(tools, IMPORT), shell: tools }
}

for (const [folder, { used, shell }] of Object.entries(manifests)) {
  const { packages } = JSON.parse(read(join(folder, 'package-lock.json'))) as {
    packages: Record<string, Package>
  }
  const { dependencies, devDependencies, optionalDependencies } = packages[''] ?? {}
  const needed = Object.keys({ ...dependencies, ...devDependencies })

  t.test(`every package of ${join(folder, 'package.json')} is imported or run`, async (t) => {
    const isRun = (program: string) =>
      shell.some((text) => new RegExp(`(?<![\\w-])${program}(?![\\w-])`).test(text))
    for (const name of needed) {
      const { bin = {} } = packages[`node_modules/${name}`] ?? {}
      const typed = name.replace('@types/', '')
      t.ok(used.has(typed) || typed === 'node' || Object.keys(bin).some(isRun), name)
    }
  })

  t.test(`every imported package is declared in ${join(folder, 'package.json')}`, async (t) => {
    t.ok(used.size > 0)
    const declared = [...needed, ...Object.keys(optionalDependencies ?? {})]
    for (const name of used) t.ok(declared.includes(name), name)
  })
}

t.test('the typed client has the version of the program', async (t) => {
  const versionIn = (folder: string) => JSON.parse(read(join(folder, 'package.json'))).version
  t.equal(versionIn('clients/typescript'), versionIn('.'))
})
