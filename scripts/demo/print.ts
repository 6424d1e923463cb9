import { pathOf } from './client.js'

/** A line as it is. */
export function remark(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Begins an act: what happens, and who does it. */
export function heading(what: string, who: string): void {
  remark(`\n${what}\n  ${who}`)
}

/** One thing that happened: how in a word, what, and the address it got. */
export function tell(how: string, what: string, address?: string): void {
  remark(`    ${how.padEnd(8)}${address === undefined ? what : `${what.padEnd(48)} ${pathOf(address)}`}`)
}
