import { resolve } from 'node:path'
import { changeOwner } from '../account.js'
import { withPartialCluster } from '../cluster.js'
import { explainError } from '../errors.js'
import { layoutOf } from '../layout.js'
import { assertReadable } from '../version.js'
import { assertSameFiles, type BackupRecord, clusterIn, readRecord } from './backup-files.js'
import { copyTree } from './copy-tree.js'
import { countRows } from './count-rows.js'
import { withOwnedFolder, withServer } from './host.js'
import { prepareReplacement, replaceCluster } from './replace.js'

export interface RestoreOptions {
  /** The folder of a backup. */
  source: string
  /** The folder of the database, on which no program runs. Created if it does not exist. */
  dataDir: string
  /** An empty or new folder for the present database. Not needed without one. */
  old?: string | undefined
  /** Receives a message for each step that takes time or needs an explanation. */
  log?: (message: string) => void
}

/**
 * Restores a backup, all or nothing. Before it takes the place of the present database, its files
 * are compared with their digests, a server is started on it once, and its rows are counted.
 * @throws Error if the folder is in use, has a database that may not be moved, or the backup is
 *   damaged or of another major version of PostgreSQL.
 */
export async function restoreDatabase({
  source,
  dataDir,
  old,
  log = () => {}
}: RestoreOptions): Promise<BackupRecord> {
  const backup = resolve(source)
  const record = await readRecord(backup)
  try {
    await withOwnedFolder(dataDir, log, async (host) => {
      await assertReadable(layoutOf(backup, clusterIn(backup)), host.binaries)
      const target = await prepareReplacement(host, old)
      await withPartialCluster(host.layout, async (partial) => {
        await copyTree(clusterIn(backup), partial.cluster)
        await assertSameFiles(partial.cluster, record)
        await changeOwner(partial.cluster, host.account)
        const rows = await withServer({ ...host, layout: partial }, (url) =>
          countRows(url, Object.keys(record.rows))
        )
        assertSameRows(rows, record.rows)
        await replaceCluster(host.layout, partial, target)
      })
    })
    return record
  } catch (error) {
    throw await explainError(error, dataDir)
  }
}

function assertSameRows(found: Record<string, number>, expected: Record<string, number>): void {
  for (const [table, count] of Object.entries(expected))
    if (found[table] !== count)
      throw new Error(
        `The backup is damaged: ${table} has ${found[table]} rows instead of ${count}. Use another one.`
      )
}
