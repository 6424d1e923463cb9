import { BUNDLED_PACKAGES } from '../bundle.js'

/** A package in `package-lock.json`, by its folder. */
interface LockedPackage {
  dev?: boolean
  optional?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/**
 * The folders of packages that serve at run time only inside the bundle: those that are bundled and
 * their dependencies, unless a package that is not bundled depends on them.
 * @param lock the text of `package-lock.json`.
 */
export function unneededPackages(lock: string): string[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> }
  const needed = new Set<string>()
  const visit = (from: string, names: readonly string[]) => {
    for (const name of names) {
      const folder = resolveFrom(packages, from, name)
      if (folder === undefined || needed.has(folder)) continue
      needed.add(folder)
      const { dependencies, optionalDependencies, peerDependencies } = packages[folder] ?? {}
      visit(folder, Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
    }
  }
  const own = Object.keys(packages['']?.dependencies ?? {})
  visit(
    '',
    own.filter((name) => !BUNDLED_PACKAGES.includes(name))
  )
  return Object.entries(packages)
    .filter(([folder, { dev, optional }]) => folder !== '' && !dev && !optional && !needed.has(folder))
    .map(([folder]) => folder)
    .sort()
}

/** The folder of a package as Node finds it: in the folder of its user, or of one above. */
function resolveFrom(packages: object, from: string, name: string): string | undefined {
  const folder = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (folder in packages) return folder
  const above = from.lastIndexOf('/node_modules/')
  if (from === '') return undefined
  return resolveFrom(packages, above < 0 ? '' : from.slice(0, above), name)
}
