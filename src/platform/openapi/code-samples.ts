import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../program/program.js'

const FOLDER = join(projectRoot, 'examples')

/** A code sample of an operation, as ReDoc and other readers of `x-codeSamples` show it. */
interface CodeSample {
  lang: string
  label: string
  source: string
}

export type CodeSamples = Readonly<Record<string, readonly CodeSample[]>>

/** Methods of the client that have another name than their operation. */
const OPERATION_IDS: Readonly<Record<string, string>> = { events: 'listOrderEvents' }

/** Makes the code sample of each operation: the first statement in `examples` that calls it. */
export function readCodeSamples(): CodeSamples {
  const samples: Record<string, CodeSample[]> = {}
  for (const name of readdirSync(FOLDER).sort()) {
    if (!name.endsWith('.ts')) continue
    const program = readFileSync(join(FOLDER, name), 'utf8')
    for (const [call, method = ''] of program.matchAll(/\b(?:order|catalogue)\.(?!urlOf\b)(\w+)\(/g))
      samples[OPERATION_IDS[method] ?? method] ??= [
        { lang: 'TypeScript', label: 'client', source: statementWith(call, program) }
      ]
  }
  return samples
}

/** The first statement of a program that has a call. */
function statementWith(call: string, program: string): string {
  const lines = program.split('\n')
  const first = lines.findIndex((line) => line.includes(call))
  const indent = /^ */.exec(lines[first] ?? '')?.[0] ?? ''
  const isOpen = /[([{]$/.test(lines[first] ?? '')
  const last = isOpen
    ? lines.findIndex(
        (line, at) =>
          at > first && /^ *[)\]}]/.test(line) && line.startsWith(indent) && !line.startsWith(`${indent} `)
      )
    : first
  return lines
    .slice(first, last + 1)
    .map((line) => line.slice(indent.length))
    .join('\n')
}
