import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bundle } from '../bundle.js'
import { bundlePages } from '../bundle-pages.js'
import { writeClient } from '../client/generate.js'
import { neededPackages } from './needed-packages.js'

/** The files of an installation in addition to the build and its packages. */
export const PACKED_FILES: readonly string[] = [
  ...['package.json', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'deploy'],
  ...['drizzle/migrations', 'examples']
]

/** Types, source maps of packages and the builds of ExcelJS for browsers are for developers. */
const UNNEEDED_FILE = /\.(map|d\.[cm]?ts)$|^node_modules\/exceljs\/dist$/

/**
 * Copies everything that an installation needs into a folder, which is the content of the archive
 * and of the image. The packages are those of the checkout, as `npm ci` installed them.
 */
export async function packProgram(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const program = join(folder, 'dist/program')
  // The order desk calls the APIs with the client.
  await writeClient()
  await Promise.all([bundle(program), bundlePages()])
  const packages = neededPackages(readFileSync('package-lock.json', 'utf8'))
  for (const path of [...PACKED_FILES, 'dist/pages', ...packages])
    cpSync(path, join(folder, path), {
      recursive: true,
      // Skips nested `node_modules`: `packages` lists each nested package that is needed.
      filter: (file) => file === path || (basename(file) !== 'node_modules' && !UNNEEDED_FILE.test(file))
    })
  writeFileSync(join(folder, 'sbom.cdx.json'), sbom())
}

/**
 * Packs this version into a folder whose name has the version, and that folder into an archive next
 * to it.
 */
export async function packArchive(release: string): Promise<string> {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const folder = `${name}-${version}`
  await packProgram(join(release, folder))
  return archive(release, folder)
}

/** Writes a folder into an archive next to it. Returns its path. */
export function archive(release: string, folder: string): string {
  const file = join(release, `${folder}.tar.gz`)
  run('tar', ['-czf', file, '-C', release, folder])
  return file
}

/** The packages of an installation in the form of CycloneDX, also those inside the bundle. */
function sbom(): string {
  return run('npm', [
    ...['sbom', '--package-lock-only', '--sbom-format=cyclonedx'],
    ...['--omit=dev', '--omit=optional']
  ])
}

/** Returns the output of a program. Throws an error with its error output when it fails. */
function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
  return stdout
}
