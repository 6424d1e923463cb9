import { mkdir, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** The paths inside the data folder. */
export interface DataLayout {
  /** The data folder itself, as an absolute path without symbolic links. */
  root: string
  /** Contains `data` and `password`. Created by a rename when a new cluster is complete. */
  cluster: string
  /** PostgreSQL's own data directory. */
  data: string
  /** The superuser's password. */
  password: string
  /** The server's stdout and stderr. */
  log: string
}

/** Creates the data folder if it does not exist, and returns the paths inside it. */
export async function prepareLayout(dataDir: string): Promise<DataLayout> {
  await mkdir(resolve(dataDir), { recursive: true, mode: 0o700 })
  const root = await realpath(dataDir)
  return layoutOf(root, join(root, 'cluster'))
}

/** The paths of a data folder with its cluster in this folder. */
export function layoutOf(root: string, cluster: string): DataLayout {
  return {
    root,
    cluster,
    data: join(cluster, 'data'),
    password: join(cluster, 'password'),
    log: join(root, 'postgres.log')
  }
}
