import { readFileSync, rmSync } from 'node:fs'
import { type BuildOptions, build } from 'esbuild'
import { TESTS_FOLDER } from '../../test/fixtures/compiled.js'
import { BUNDLED_PACKAGES } from '../bundle.js'

/** Programs that tests start. Each is compiled to one file. */
const PROGRAMS = [
  ...['scripts/demo.ts', 'test/fixtures/embedded-owner.ts'],
  ...['test/fixtures/events/consumer.ts', 'test/fixtures/fhir/process.ts']
]

/** The sandboxed child process is started from the folder of the code that starts it. */
const CHILD = { in: 'src/xlsx/child.ts', out: 'child' }

/**
 * Compiles test files to `TESTS_FOLDER`, where they share what they import, and the programs that
 * they start. Types are checked by `npm run types`.
 */
export async function compile(files: readonly string[]): Promise<void> {
  rmSync(TESTS_FOLDER, { recursive: true, force: true })
  const entries = [...files, 'scripts/test/worker.ts'].map(toEntry)
  await Promise.all([
    build({ ...options(), entryPoints: [...entries, CHILD], splitting: true }),
    build({ ...options(), entryPoints: PROGRAMS.map(toEntry) })
  ])
}

const toEntry = (source: string) => ({ in: source, out: source.replace(/\.ts$/, '') })

function options(): BuildOptions & { outdir: string } {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  return {
    outdir: TESTS_FOLDER,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    external: packages.filter((name) => !BUNDLED_PACKAGES.includes(name)),
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url)"
    },
    logLevel: 'warning'
  }
}
