import { pathOf } from './client.js'

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints the heading of a section: what happens, and who does it. */
export function heading(what: string, who: string): void {
  printLine(`\n${what}\n  ${who}`)
}

/** Prints an event: a status word, a description, and the URL of the resource. */
export function printEvent(status: string, description: string, url?: string): void {
  printLine(
    `    ${status.padEnd(8)}${url === undefined ? description : `${description.padEnd(48)} ${pathOf(url)}`}`
  )
}
