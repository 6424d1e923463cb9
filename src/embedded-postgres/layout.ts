import { mkdir, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Where things are inside the data folder. */
export interface Layout {
  /** The data folder itself, as an absolute path without symbolic links. */
  root: string
  /** Holds `data` and `password`; it appears at once, by a rename, when a new cluster is complete. */
  cluster: string
  /** PostgreSQL's own data directory. */
  data: string
  /** The superuser's password. */
  password: string
  /** What the server writes to its stdout and stderr. */
  log: string
}

/** Creates the data folder when it is missing and names the places inside it. */
export async function prepareLayout(dataDir: string): Promise<Layout> {
  await mkdir(resolve(dataDir), { recursive: true, mode: 0o700 })
  const root = await realpath(dataDir)
  const cluster = join(root, 'cluster')
  return {
    root,
    cluster,
    data: join(cluster, 'data'),
    password: join(cluster, 'password'),
    log: join(root, 'postgres.log')
  }
}
