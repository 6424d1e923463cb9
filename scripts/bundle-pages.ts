import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'

/** What the pages consist of, by the name of the file in `dist/pages`. */
const FILES = {
  home: 'pages/home/main.ts',
  upload: 'pages/upload/main.tsx',
  desk: 'pages/desk/main.tsx',
  'sign-in': 'pages/sign-in/main.ts',
  style: 'pages/style.css',
  icon: 'pages/icon.svg'
}

/**
 * Bundles the pages for browsers into `dist/pages`: a script for each, what they share, what they
 * load later, a style sheet and an icon. Types are checked by `npm run types`.
 */
export async function bundlePages(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: process.cwd(),
    entryPoints: FILES,
    outdir: join('dist', 'pages'),
    loader: { '.svg': 'copy' },
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    charset: 'utf8',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    write: false
  })
  for (const { path, contents } of outputFiles) writeIfChanged(path, contents)
  const folder = join('dist', 'pages')
  const written = new Set(outputFiles.map(({ path }) => basename(path)))
  for (const name of readdirSync(folder))
    if (name.endsWith('.js') && !written.has(name)) rmSync(join(folder, name))
}

/** Writes a file as a whole, because another process may be reading it. */
function writeIfChanged(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return
  mkdirSync(dirname(path), { recursive: true })
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, contents)
  renameSync(partial, path)
}
