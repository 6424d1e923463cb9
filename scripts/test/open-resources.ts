import { setTimeout as pause } from 'node:timers/promises'

/** Resources that a test must close: they would keep its process alive. */
const KINDS = [
  'TCPSocketWrap',
  'TCPServerWrap',
  'PipeWrap',
  'ProcessWrap',
  'FSEventWrap',
  'UDPWRAP',
  'Timeout'
]

/**
 * Number of checks whether a resource is closed, with a growing pause, because a socket closes a
 * little later.
 */
const ATTEMPTS = 40

/** The types of open resources that keep this process alive, one element for each resource. */
export const openResources = (): string[] =>
  process.getActiveResourcesInfo().filter((kind) => KINDS.includes(kind))

/** The types of resources that were opened after `before` and are still open after a short wait. */
export async function remainingResources(before: readonly string[]): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const left = openResources()
    for (const kind of before) if (left.includes(kind)) left.splice(left.indexOf(kind), 1)
    if (left.length === 0 || attempt === ATTEMPTS) return left
    await pause(attempt * 10, undefined, { ref: false })
  }
}
