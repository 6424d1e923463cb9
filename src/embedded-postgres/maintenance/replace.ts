import { lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { settleInterrupted } from '../cluster.js'
import { hasCode } from '../errors.js'
import { statOrUndefined, syncFolder } from '../files.js'
import type { DataLayout } from '../layout.js'
import { stopOrphan } from '../orphan.js'
import type { Host } from './host.js'

/**
 * Settles what was interrupted, stops a server that a killed process left behind, and checks that
 * the present database, if there is one, has a folder to go to.
 * @returns that folder, or undefined if there is no database.
 * @throws Error that says what to do.
 */
export async function prepareReplacement(host: Host, old: string | undefined): Promise<string | undefined> {
  const { layout, binaries, log } = host
  await settleInterrupted(host)
  await stopOrphan(layout.data, binaries, log)
  if (!(await statOrUndefined(layout.cluster))) return undefined
  if (old === undefined)
    throw new Error(
      `${layout.root} has a database, which was not changed. Name a new folder for it: --old <folder>, on the same disk.`
    )
  const folder = resolve(old)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty. Name a new folder for --old.`)
  if (!relative(layout.cluster, folder).startsWith('..'))
    throw new Error(`${folder} is in the present database. Name a folder for --old outside of it.`)
  if ((await lstat(folder)).dev !== (await lstat(layout.cluster)).dev)
    throw new Error(
      `${folder} is on another disk than ${layout.root}. Name a folder for --old on the same one.`
    )
  return folder
}

/**
 * Puts a complete cluster into the place of the present one, which goes to another folder. After a
 * kill in the middle the next start finds the present one in its place, or finishes the exchange.
 */
export async function replaceCluster(
  layout: DataLayout,
  complete: DataLayout,
  old: string | undefined
): Promise<void> {
  await rename(complete.cluster, layout.replacement)
  await syncFolder(layout.root)
  if (old !== undefined) {
    await moveCluster(layout.cluster, join(old, 'cluster'))
    await syncFolder(layout.root)
  }
  await rename(layout.replacement, layout.cluster)
  await syncFolder(layout.root)
}

async function moveCluster(cluster: string, target: string): Promise<void> {
  try {
    await rename(cluster, target)
    await syncFolder(dirname(target))
  } catch (error) {
    // Mounts of one disk have the same device, but no common names.
    if (!hasCode(error, 'EXDEV')) throw error
    throw new Error(`${target} is on another disk than ${cluster}. Name a folder for --old on the same one.`)
  }
}
