import { join, resolve } from 'node:path'
import { changeOwner } from '../account.js'
import { findBinaries } from '../binaries.js'
import { fillCluster, withPartialCluster } from '../cluster.js'
import { explainError } from '../errors.js'
import { statOrUndefined } from '../files.js'
import type { DataLayout } from '../layout.js'
import type { Binaries } from '../run.js'
import { majorOf, majorOfData } from '../version.js'
import { copyTables } from './copy-tables.js'
import { copyTree } from './copy-tree.js'
import { type Host, withOwnedFolder, withServer } from './host.js'
import { prepareReplacement, replaceCluster } from './replace.js'

export interface UpgradeOptions {
  /** The folder of the database, on which no program runs. */
  dataDir: string
  /** The folder with the `node_modules` of the PostgreSQL that made the database. */
  from: string
  /** An empty or new folder for the present database, which is not changed. */
  old: string | undefined
  /** Brings the schema of a database to that of this program. */
  migrate(url: string): Promise<void>
  /** Receives a message for each step that takes time or needs an explanation. */
  log?: (message: string) => void
}

/**
 * Moves a database to the major version of PostgreSQL that this program includes, all or nothing:
 * creates a new one and copies the rows of a copy of the present one, on which its former version
 * runs.
 * @throws Error that says what to do.
 */
export async function upgradeDatabase(options: UpgradeOptions): Promise<void> {
  const { dataDir, old, log = () => {} } = options
  try {
    await withOwnedFolder(dataDir, log, async (host) => {
      const target = await prepareReplacement(host, old)
      const former = await formerBinaries(host, options.from)
      await withPartialCluster(host.layout, (copy) =>
        withPartialCluster(host.layout, async (created) => {
          await copyTree(host.layout.cluster, copy.cluster)
          await changeOwner(copy.cluster, host.account)
          await fillCluster({ ...host, layout: created })
          await copyRows({ ...host, layout: copy, binaries: former }, { ...host, layout: created }, options)
          await replaceCluster(host.layout, created, target)
        })
      )
    })
  } catch (error) {
    throw await explainError(error, dataDir)
  }
}

function copyRows(former: Host, next: Host, { migrate, log = () => {} }: UpgradeOptions): Promise<void> {
  return withServer(former, (fromUrl) =>
    withServer(next, async (toUrl) => {
      await migrate(fromUrl)
      await migrate(toUrl)
      await copyTables(fromUrl, toUrl, log)
    })
  )
}

async function formerBinaries({ layout, account, binaries, log }: Host, from: string): Promise<Binaries> {
  const needed = await majorNeeded(layout, binaries)
  const former = await findBinaries(account, log, join(resolve(from), 'package.json'))
  if (majorOf(former) !== needed)
    throw new Error(`${resolve(from)} has PostgreSQL ${majorOf(former)}, and the database needs ${needed}.`)
  return former
}

async function majorNeeded({ data, root }: DataLayout, binaries: Binaries): Promise<string> {
  if (!(await statOrUndefined(data)))
    throw new Error(`There is no database in ${root}. Set DATA_DIR to the folder that the program uses.`)
  const major = await majorOfData(data)
  if (major === majorOf(binaries))
    throw new Error(`The database in ${root} is of PostgreSQL ${major} already, and was not changed.`)
  return major
}
