import { resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleOptions } from '../bundle.js'

/** Programs that tests start. Each is compiled to one file. */
const PROGRAMS = ['scripts/demo.ts', 'test/fixtures/embedded-owner.ts', 'test/fixtures/fhir/process.ts']

/**
 * The sandboxed child process, and the code that finds it in its own folder. Without an entry point
 * that code would be in the folder of the test if only one test imports it.
 */
const CHILD = [
  { in: 'src/xlsx/child.ts', out: 'child' },
  { in: 'src/xlsx/child-process.ts', out: 'child-process' }
]

/** Files import the test of their file from `tap`. */
const FILE_TEST = resolve('scripts/test/file-test.ts')
const testOfFile: Plugin = {
  name: 'test-of-file',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^tap$/ }, ({ importer }) =>
      importer === FILE_TEST ? { external: true } : { path: FILE_TEST }
    )
}

/**
 * Compiles test files to a folder, where they share imported modules, and the programs that they
 * start. Types are checked by `npm run types`.
 */
export async function compile(files: readonly string[], folder: string): Promise<void> {
  const options = { ...bundleOptions(), outdir: folder, sourcemap: true }
  const entries = [...files, 'scripts/test/worker.ts'].map(toEntry)
  await Promise.all([
    build({ ...options, entryPoints: [...entries, ...CHILD], splitting: true, plugins: [testOfFile] }),
    build({ ...options, entryPoints: PROGRAMS.map(toEntry) })
  ])
}

const toEntry = (source: string) => ({ in: source, out: source.replace(/\.ts$/, '') })
