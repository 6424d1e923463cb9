import { readdirSync, readFileSync } from 'node:fs'

/** Processor time from /proc (Linux), in hundredths of a second. */

const ticks = 100

/**
 * User and system time, including ended children, in hundredths of a second; undefined for a
 * process that has ended.
 */
function statOf(pid: number): { parent: number; own: number; children: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may contain anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const at = (place: number) => fields[place - 3] ?? 0
    return { parent: at(4), own: at(14) + at(15), children: at(16) + at(17) }
  } catch {
    return undefined
  }
}

/** Processor time of a process, in milliseconds. */
export const processorTime = (pid: number): number => ((statOf(pid)?.own ?? 0) * 1000) / ticks

/**
 * Processor time of a process and all its children, including ended ones. PostgreSQL has one child
 * per connection.
 */
export function processTreeTime(pid: number): number {
  const self = statOf(pid)
  if (!self) return 0
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((each) => each?.parent === pid)
  const sum = children.reduce((total, each) => total + (each?.own ?? 0), self.own + self.children)
  return (sum * 1000) / ticks
}
