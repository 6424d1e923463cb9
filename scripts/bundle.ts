import { readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

/** Packages of many small files. The others stay in `node_modules`: they find their own files there, or are read when they are needed. */
const included = ['@sinclair/typebox', 'drizzle-orm', 'lru-cache', 'postgres', 'uuid']

/**
 * Makes the program anew in a folder, as `main.js` and what it needs: to find and read hundreds of files took about a third of a
 * start. Types are the business of `npm run types`.
 */
export async function bundle(folder: string): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object }
  rmSync(folder, { recursive: true, force: true })
  await build({
    // The program that reads workbooks is a process of its own, started by the other one.
    entryPoints: { main: 'src/entry.ts', child: 'src/excel/workbook/child.ts' },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'external',
    external: Object.keys(dependencies).filter((name) => !included.includes(name)),
    logLevel: 'warning'
  })
}
