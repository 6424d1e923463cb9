import { join } from 'node:path'

/**
 * Arguments for Node that let a process only read these folders: no other files, no writing, no
 * processes, workers, native addons or WASI. Node 20 and 22 do not deny the network. Empty if this
 * Node has no permission model.
 */
export function sandboxArguments(
  folders: readonly string[],
  flags: ReadonlySet<string> = process.allowedNodeEnvironmentFlags
): string[] {
  const permission = ['--permission', '--experimental-permission'].find((flag) => flags.has(flag))
  return permission ? [permission, ...folders.map((folder) => `--allow-fs-read=${join(folder, '*')}`)] : []
}
