import { spawnSync } from 'node:child_process'
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
import { type BuildOptions, build, type OutputFile } from 'esbuild'
import { lineTable } from './line-table.js'

/** Packages that stay in `node_modules`: they read their own files there, or are loaded on demand. */
export const UNBUNDLED_PACKAGES: readonly string[] = ['@fastify/swagger-ui', 'exceljs']

/** The server with its commands, and its child process that reads workbooks. */
const PROGRAMS = { main: 'src/entry.ts', child: 'src/xlsx/child.ts' }

/** Number of older builds that stay for running programs. */
const KEPT_BUILDS = 10

/**
 * Builds the program into a folder. `main.js` there starts the current build, which has its own
 * folder, named after its content. A bundle starts faster: reading hundreds of
 * source files took about a third of a start. A build is never changed, because a running program
 * loads parts of it later. Types are checked by `npm run types`.
 */
export async function bundle(
  folder: string,
  entryPoints: Readonly<Record<string, string>> = PROGRAMS
): Promise<void> {
  const { outputFiles } = await build({
    ...bundleOptions(),
    entryPoints,
    outdir: folder,
    splitting: true,
    define: { BUILD_COMMIT: JSON.stringify(commit()) },
    sourcemap: 'external',
    sourcesContent: false,
    write: false
  })
  const name = `build-${digestOf(outputFiles)}`
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, name))) write(folder, name, outputFiles)
  const starter = join(folder, `main.js.${process.pid}`)
  writeFileSync(starter, `import './${name}/main.js'\n`)
  renameSync(starter, join(folder, 'main.js'))
  removeOldBuilds(folder, name)
}

/** Options of all bundles. Packages that are not bundled are loaded from `node_modules`. */
export function bundleOptions() {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  return {
    // By default the folder in which esbuild was loaded.
    absWorkingDir: process.cwd(),
    bundle: true,
    format: 'esm',
    platform: 'node',
    // For bundled packages that are CommonJS.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url)"
    },
    target: 'node20',
    external: [...UNBUNDLED_PACKAGES, ...Object.keys(devDependencies)],
    logLevel: 'warning'
  } as const satisfies BuildOptions
}

/**
 * COMMIT, because an image has no history; otherwise the commit of the checkout, if there is one.
 */
function commit(): string {
  const { COMMIT } = process.env
  if (COMMIT) return COMMIT
  const git = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return git.status === 0 ? git.stdout.trim() : 'unknown'
}

function digestOf(files: readonly OutputFile[]): string {
  const digest = createHash('sha256')
  for (const { path, hash } of files) digest.update(`${path} ${hash}\n`)
  return digest.digest('hex').slice(0, 16)
}

/** The folder gets its final name when it is complete. */
function write(folder: string, name: string, files: readonly OutputFile[]): void {
  const partial = join(folder, `${name}.${process.pid}`)
  mkdirSync(partial, { recursive: true })
  const fileOf = (path: string) => join(partial, path.slice(resolve(folder).length + 1))
  for (const { path, contents, text } of files)
    if (path.endsWith('.map')) {
      const file = path.slice(0, -'.map'.length)
      const lines = files.find((each) => each.path === file)?.text.split('\n').length ?? 0
      writeFileSync(`${fileOf(file)}.lines.json`, JSON.stringify(lineTable(JSON.parse(text), lines)))
    } else writeFileSync(fileOf(path), contents)
  try {
    renameSync(partial, join(folder, name))
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    // Another process has created the same build meanwhile.
    if (!existsSync(join(folder, name))) throw error
  }
}

function removeOldBuilds(folder: string, current: string): void {
  const builds = readdirSync(folder)
    .filter((name) => /^build-\w+$/.test(name) && name !== current)
    .map((name) => ({ path: join(folder, name), modifiedAt: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.modifiedAt - a.modifiedAt)
  for (const { path } of builds.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true })
}
