import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { binariesPackage } from './binaries.js'
import { statOrUndefined } from './files.js'
import type { DataLayout } from './layout.js'
import type { Binaries } from './run.js'

/** The major version of PostgreSQL, such as `18`, that these programs are of. */
export const majorOf = ({ version }: Binaries): string => version.split('.')[0] ?? version

/** The major version that made the data directory. PostgreSQL reads those of the same one only. */
export async function majorOfData(data: string): Promise<string> {
  return (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
}

/**
 * Rejects data of another major version, before a server starts on them. No data is accepted.
 * @throws Error that says how to upgrade.
 */
export async function assertReadable({ data, root }: DataLayout, binaries: Binaries): Promise<void> {
  if (!(await statOrUndefined(data))) return
  const [former, current] = [await majorOfData(data), majorOf(binaries)]
  if (former === current) return
  throw new Error(
    `PostgreSQL ${former} made the database in ${root}. This program includes PostgreSQL ${current}, which cannot ` +
      'read it. Nothing was changed. Start the version of this program that you used before, or upgrade:\n' +
      `  npm install --prefix postgresql-${former} ${binariesPackage}@<a version ${former}.…>\n` +
      `  npm run upgrade -- --from postgresql-${former} --old <new folder for the present database>\n` +
      `The versions are listed by: npm view ${binariesPackage} versions`
  )
}
