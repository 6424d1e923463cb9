import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFile } from '../files.js'
import { type Digests, digestsOf } from './copy-tree.js'

/** What `backup.json` says about a backup. */
export interface BackupRecord {
  /** When the backup was made, in ISO 8601. */
  createdAt: string
  /** Rows of tables to which rows are only added, by table. */
  rows: Record<string, number>
  /** SHA-256 of all files of the cluster. */
  files: Digests
}

/** The folder of the cluster in a backup. It has the form of a data folder. */
export const clusterIn = (backup: string): string => join(backup, 'cluster')

const recordIn = (backup: string): string => join(backup, 'backup.json')

/** Writes the record of a backup. */
export function writeRecord(backup: string, record: BackupRecord): Promise<void> {
  return createFile(recordIn(backup), `${JSON.stringify(record, null, 1)}\n`, 0o600)
}

/**
 * Reads the record of a backup.
 * @throws Error if the folder is not a complete backup.
 */
export async function readRecord(backup: string): Promise<BackupRecord> {
  try {
    return JSON.parse(await readFile(recordIn(backup), 'utf8')) as BackupRecord
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${backup} is not a complete backup: ${reason}. Name a folder of "npm run backup".`, {
      cause
    })
  }
}

/**
 * Compares the files of a cluster with those of the record.
 * @throws Error that names the first file that differs.
 */
export async function assertSameFiles(cluster: string, { files }: BackupRecord): Promise<void> {
  const found = await digestsOf(cluster)
  const names = [...new Set([...Object.keys(files), ...Object.keys(found)])]
  const different = names.filter((name) => files[name] !== found[name])
  if (different.length > 0)
    throw new Error(
      `The backup is damaged: ${different.length} files differ from backup.json, such as ${different[0]}. Use another one.`
    )
}
