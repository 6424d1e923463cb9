import { UNBUNDLED_PACKAGES } from '../bundle.js'

/** A package in `package-lock.json`, by its folder. */
interface LockedPackage {
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/**
 * The folders of packages that the bundle loads at run time: those that are not bundled, and their
 * dependencies. The embedded PostgreSQL, an optional dependency, is for development.
 * @param lock the text of `package-lock.json`.
 */
export function neededPackages(lock: string): string[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> }
  const needed = new Set<string>()
  const visit = (from: string, names: readonly string[]) => {
    for (const name of names) {
      const folder = resolveFrom(packages, from, name)
      const { dev, optional, devOptional, ...found } = packages[folder ?? ''] ?? {}
      if (folder === undefined || dev || optional || devOptional || needed.has(folder)) continue
      needed.add(folder)
      visit(folder, Object.keys({ ...found.dependencies, ...found.peerDependencies }))
    }
  }
  visit('', UNBUNDLED_PACKAGES)
  return [...needed].sort()
}

/**
 * The folder of a package as Node finds it: in the folder of the package that uses it, or in a
 * parent folder.
 */
function resolveFrom(packages: object, from: string, name: string): string | undefined {
  const folder = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (folder in packages) return folder
  const above = from.lastIndexOf('/node_modules/')
  if (from === '') return undefined
  return resolveFrom(packages, above < 0 ? '' : from.slice(0, above), name)
}
