import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ensureCluster } from '../cluster.js'
import { explainError } from '../errors.js'
import { statOrUndefined, syncFolder } from '../files.js'
import { assertReadable } from '../version.js'
import { type BackupRecord, clusterIn, writeRecord } from './backup-files.js'
import { copyTree, digestsOf } from './copy-tree.js'
import { countRows } from './count-rows.js'
import { withOwnedFolder, withServer } from './host.js'

export interface BackupOptions {
  /** The folder of the database. */
  dataDir: string
  /** The folder of the backup, which does not exist. */
  target: string
  /** Tables to which rows are only added. */
  tables: readonly string[]
  /** Receives a message for each step that takes time or needs an explanation. */
  log?: (message: string) => void
}

/**
 * Copies the database of a data folder on which no program runs. A server recovers its data first,
 * if the last one was killed. The target gets its name when the backup is complete and on disk.
 * @throws Error if the folder is in use, has no database, or the target exists.
 */
export async function backUpDatabase(options: BackupOptions): Promise<BackupRecord> {
  const { dataDir, log = () => {} } = options
  const target = resolve(options.target)
  if (await statOrUndefined(target)) throw new Error(`${target} exists. Name a new folder for the backup.`)
  if (!(await statOrUndefined(resolve(dataDir)))) throw noDatabase(dataDir)
  try {
    return await withOwnedFolder(dataDir, log, async (host) => {
      const { layout } = host
      await assertReadable(layout, host.binaries)
      if (!(await statOrUndefined(layout.cluster)) && !(await statOrUndefined(layout.replacement)))
        throw noDatabase(dataDir)
      await ensureCluster(host)
      const rows = await withServer(host, (url) => countRows(url, options.tables))
      return copyCluster(layout.cluster, target, rows)
    })
  } catch (error) {
    throw await explainError(error, dataDir)
  }
}

async function copyCluster(
  cluster: string,
  target: string,
  rows: BackupRecord['rows']
): Promise<BackupRecord> {
  const parent = dirname(target)
  const partial = await createPartial(target)
  try {
    await mkdir(clusterIn(partial), { mode: 0o700 })
    await copyTree(cluster, clusterIn(partial))
    const record = { createdAt: new Date().toISOString(), rows, files: await digestsOf(cluster) }
    await writeRecord(partial, record)
    await syncFolder(partial)
    await rename(partial, target)
    await syncFolder(parent)
    return record
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function createPartial(target: string): Promise<string> {
  try {
    await mkdir(dirname(target), { recursive: true })
    return await mkdtemp(`${target}.incomplete-`)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`No backup can be made in ${dirname(target)}: ${reason}. Name another folder.`, { cause })
  }
}

const noDatabase = (dataDir: string) =>
  new Error(`There is no database in ${resolve(dataDir)}. Set DATA_DIR to the folder that the program uses.`)
