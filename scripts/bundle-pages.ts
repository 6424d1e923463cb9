import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** The pages, by their names: what runs in the browser first. */
const PAGES = {
  home: 'pages/home/main.ts',
  upload: 'pages/upload/main.tsx',
  desk: 'examples/order-desk/main.tsx',
  'sign-in': 'pages/sign-in/main.ts'
}

/**
 * Bundles the pages for browsers. Each has a folder in `dist/pages`, with its script, the style
 * sheet that it imports, and icons. Types are checked by `npm run types`.
 */
export async function bundlePages(): Promise<void> {
  await Promise.all(Object.entries(PAGES).map(([name, source]) => bundlePage(name, source)))
}

async function bundlePage(name: string, source: string): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: process.cwd(),
    entryPoints: [
      { in: source, out: 'main' },
      { in: 'pages/parts/icon.svg', out: 'icon' }
    ],
    outdir: join('dist', 'pages', name),
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
