import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

/** The sources of the pages, by the name of the file in `dist/pages`. */
const FILES = {
  home: 'pages/home/main.ts',
  upload: 'pages/upload/main.tsx',
  desk: 'pages/desk/main.tsx',
  'sign-in': 'pages/sign-in/main.ts',
  issuer: 'pages/parts/access/issuer.ts',
  style: 'pages/style.css',
  icon: 'pages/icon.svg'
}

/**
 * Bundles the pages for browsers into `dist/pages`: a script for each, a style sheet and an icon. A
 * page is one script: during a rolling update another instance has no parts of an earlier build.
 * Only `issuer.js`, which shares no code with the pages, is loaded when a person signs in. Types are
 * checked by `npm run types`.
 */
export async function bundlePages(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: process.cwd(),
    entryPoints: FILES,
    outdir: join('dist', 'pages'),
    loader: { '.svg': 'copy' },
    bundle: true,
    external: ['./issuer.js'],
    format: 'esm',
    minify: true,
    charset: 'utf8',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    write: false
  })
  for (const { path, contents } of outputFiles) writeIfChanged(path, contents)
}

/** Writes a file as a whole, because another process may be reading it. */
function writeIfChanged(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return
  mkdirSync(dirname(path), { recursive: true })
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, contents)
  renameSync(partial, path)
}
