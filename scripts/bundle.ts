import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { join, resolve } from 'node:path'
import { build, type OutputFile } from 'esbuild'

/** Packages of many small files. The others stay in `node_modules`: they find their own files there, or are read when they are needed. */
const included = ['@sinclair/typebox', 'drizzle-orm', 'jose', 'lru-cache', 'postgres', 'uuid']

/** The program that reads workbooks is a process of its own, started by main; operators start theirs. */
const program = {
  main: 'src/entry.ts',
  operator: 'src/operator-entry.ts',
  child: 'src/xlsx/child.ts'
}

/** Programs that people start: each has a file beside the builds that starts the current one. */
const STARTED = ['main', 'operator']

/** Builds that are kept besides the current one, for programs that still run on them. */
const KEPT_BUILDS = 10

/**
 * Builds the program into a folder: `main.js` and `operator.js` there start the current build, which lies in a folder of its own that is
 * named after its content. To find and read hundreds of source files took about a third of a start. A build is never
 * changed: a running program loads parts of it later. Types are the business of `npm run types`.
 */
export async function bundle(
  folder: string,
  entryPoints: Readonly<Record<string, string>> = program
): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object }
  const { outputFiles } = await build({
    entryPoints,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'external',
    external: Object.keys(dependencies).filter((name) => !included.includes(name)),
    logLevel: 'warning',
    write: false
  })
  const name = `build-${digestOf(outputFiles)}`
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, name))) write(folder, name, outputFiles)
  for (const started of STARTED.filter((each) => each in entryPoints)) {
    const file = join(folder, `${started}.js.${process.pid}`)
    writeFileSync(file, `import './${name}/${started}.js'\n`)
    renameSync(file, join(folder, `${started}.js`))
  }
  removeOldBuilds(folder, name)
}

function digestOf(files: readonly OutputFile[]): string {
  const digest = createHash('sha256')
  for (const { path, hash } of files) digest.update(`${path} ${hash}\n`)
  return digest.digest('hex').slice(0, 16)
}

/** The folder gets its name when it is complete. */
function write(folder: string, name: string, files: readonly OutputFile[]): void {
  const partial = join(folder, `${name}.${process.pid}`)
  mkdirSync(partial, { recursive: true })
  for (const { path, contents } of files)
    writeFileSync(join(partial, path.slice(resolve(folder).length + 1)), contents)
  try {
    renameSync(partial, join(folder, name))
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    // Another process was faster; its build is the same.
    if (!existsSync(join(folder, name))) throw error
  }
}

function removeOldBuilds(folder: string, current: string): void {
  const builds = readdirSync(folder)
    .filter((name) => /^build-\w+$/.test(name) && name !== current)
    .map((name) => ({ path: join(folder, name), made: statSync(join(folder, name)).mtimeMs }))
    .sort((one, other) => other.made - one.made)
  for (const { path } of builds.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true })
}
