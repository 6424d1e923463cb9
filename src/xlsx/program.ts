import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A program and the folders it must be able to read. */
export interface SandboxedProgram {
  file: string
  folders: readonly string[]
}

let bundled: Promise<string> | undefined

/**
 * The program of the child process, as JavaScript. It is compiled first if this file runs as
 * TypeScript.
 */
export async function workbookProgram(): Promise<SandboxedProgram> {
  const extension = extname(import.meta.url)
  const beside = fileURLToPath(new URL(`./child${extension}`, import.meta.url))
  bundled ??= extension === '.ts' ? bundle(beside) : Promise.resolve(beside)
  const file = await bundled
  return { file, folders: [dirname(file), packagesFolder()] }
}

/** The `node_modules` that holds exceljs. */
function packagesFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('exceljs/package.json')
  return dirname(dirname(manifest))
}

/**
 * Compiles the child program for `npm run dev` and scripts: tsx starts processes and writes files,
 * which the sandbox denies.
 */
async function bundle(source: string): Promise<string> {
  const { build } = await import('esbuild')
  const file = join(dirname(packagesFolder()), 'dist', 'dev', 'child.js')
  const format = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const
  await build({ ...format, entryPoints: [source], outfile: file, packages: 'external', logLevel: 'warning' })
  return file
}

/**
 * Arguments for Node that let a process only read these folders: no other files, no writing, no
 * processes, workers, native addons or WASI. Node 20 and 22 do not deny the network. Empty if this
 * Node has no permission model.
 */
export function sandboxArguments(
  folders: readonly string[],
  flags: ReadonlySet<string> = process.allowedNodeEnvironmentFlags
): string[] {
  const permission = ['--permission', '--experimental-permission'].find((flag) => flags.has(flag))
  return permission ? [permission, ...folders.map((folder) => `--allow-fs-read=${join(folder, '*')}`)] : []
}
