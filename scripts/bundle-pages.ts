import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'

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
 * Bundles the pages for browsers into `dist/pages`: a script for each, and what they share, a style
 * sheet and icons. Types are checked by `npm run types`.
 */
export async function bundlePages(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: process.cwd(),
    entryPoints: FILES,
    outdir: join('dist', 'pages'),
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    plugins: [dataUrlsAsFiles],
    bundle: true,
    format: 'esm',
    minify: true,
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

/** Makes icons in a style sheet files of their own: the policy of the pages allows no `data:` URL. */
const dataUrlsAsFiles: Plugin = {
  name: 'data-urls-as-files',
  setup({ onResolve, onLoad }) {
    const prefix = 'data:image/svg+xml,'
    onResolve({ filter: new RegExp(`^${prefix.replace('+', '\\+')}`) }, ({ path }) => ({
      path: `${createHash('sha256').update(path).digest('hex')}/image.svg`,
      namespace: 'data-url',
      pluginData: path.slice(prefix.length)
    }))
    onLoad({ filter: /./, namespace: 'data-url' }, ({ pluginData }) => ({
      contents: decodeURIComponent(String(pluginData)),
      loader: 'file'
    }))
  }
}
