import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A program, and the folders that it must read to run. */
export interface Program {
  file: string
  folders: readonly string[]
}

let bundled: Promise<string> | undefined

/** The program that works on workbooks, as JavaScript: where this file is TypeScript, it is compiled first. */
export async function workbookProgram(): Promise<Program> {
  const extension = extname(import.meta.url)
  const beside = fileURLToPath(new URL(`./child${extension}`, import.meta.url))
  bundled ??= extension === '.ts' ? bundle(beside) : Promise.resolve(beside)
  const file = await bundled
  return { file, folders: [dirname(file), packages()] }
}

/** The folder of installed packages, which is the one that holds exceljs. */
function packages(): string {
  const manifest = createRequire(import.meta.url).resolve('exceljs/package.json')
  return dirname(dirname(manifest))
}

/** tsx cannot compile in the sandbox: it starts processes and writes files. Only `npm run dev` and scripts come here. */
async function bundle(source: string): Promise<string> {
  const { build } = await import('esbuild')
  const file = join(dirname(packages()), 'dist', 'dev', 'child.js')
  const format = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const
  await build({ ...format, entryPoints: [source], outfile: file, packages: 'external', logLevel: 'warning' })
  return file
}
