import { readFileSync } from 'node:fs'
import { build } from 'esbuild'

/*
 * Counts the files of src that a file imports at run time, directly or indirectly, and their lines.
 *   npx tsx scripts/imports.ts src/order/patch/order-patch.ts [--list]
 */

const [entry, option] = process.argv.slice(2)
if (!entry) throw new Error('Name a file, such as src/order/patch/order-patch.ts.')
const { metafile } = await build({
  entryPoints: [entry],
  bundle: true,
  write: false,
  metafile: true,
  treeShaking: false,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'error',
  loader: { '.json': 'json' }
})
const files = Object.keys(metafile.inputs).filter((name) => name.startsWith('src/'))
const lines = files.map((name) => readFileSync(name, 'utf8').split('\n').length - 1)
if (option === '--list') for (const [at, name] of files.entries()) console.log(lines[at], name)
const total = lines.reduce((sum, count) => sum + count, 0)
console.log(`${entry} imports ${files.length - 1} files of src, ${total} lines with its own.`)
