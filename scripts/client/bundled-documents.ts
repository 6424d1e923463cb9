import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { projectRoot } from '../../src/platform/program/program.js'
import type { ApiDocuments } from '../api-documents.js'
import { bundleOptions } from '../bundle.js'

/**
 * Makes the documents with a bundle of the sources. Each build, demo and test run waits for the
 * documents, and the bundle loads in a third of the time of the sources.
 */
export async function bundledApiDocuments(): Promise<ApiDocuments> {
  const dist = join(projectRoot, 'dist')
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, 'documents-'))
  try {
    const outfile = join(folder, 'api-documents.js')
    const entryPoint = join(projectRoot, 'scripts/api-documents.ts')
    await build({ ...bundleOptions(), entryPoints: [entryPoint], outfile })
    const bundled: typeof import('../api-documents.js') = await import(pathToFileURL(outfile).href)
    return await bundled.makeApiDocuments()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
