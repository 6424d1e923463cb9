import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingTools, requireTool } from './document-tools.js'

/*
 * Compares the recorded OpenAPI documents with those of the last release, in the commit that
 * `openapi/since` names. It fails for a difference that breaks a client, unless
 * `openapi/allowed.json` lists it with a reason, and for an entry there without a difference.
 */

interface Difference {
  code: string
  sourceSpecEntityDetails: { location: string }[]
  destinationSpecEntityDetails: { location: string }[]
}

interface Spec {
  content: string
  location: string
  format: 'swagger2'
}

/** The part of openapi-diff used here. */
interface OpenapiDiff {
  diffSpecs(specs: {
    sourceSpec: Spec
    destinationSpec: Spec
  }): Promise<{ breakingDifferences?: Difference[] }>
}

if (missingTools) throw new Error(missingTools)
const { diffSpecs }: OpenapiDiff = requireTool('openapi-diff')

/** The reasons of allowed differences, by their names. */
const allowed = JSON.parse(readFileSync(join('openapi', 'allowed.json'), 'utf8')) as Record<string, string>

/** The commit of the last release. */
const since = readFileSync(join('openapi', 'since'), 'utf8').trim()

/** @throws Error when the history of this copy does not reach back to the last release. */
function git(...args: string[]): string {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status === 0) return stdout
  throw new Error(`Commit ${since} of the last release is not in this copy: run git fetch --unshallow.`)
}

/** The name of a difference: its code and its location in the released or recorded document. */
const differenceName = (
  api: string,
  { code, sourceSpecEntityDetails: [before], destinationSpecEntityDetails: [after] }: Difference
) => `${api} ${code} ${before?.location ?? after?.location ?? ''}`

/**
 * Definitions whose content openapi-diff would compare for minutes: the two forms of the details of
 * an order, and objects that the released documents do not have.
 */
const OPAQUE = ['OrderDetails', 'Device', 'RelatedDevice'].map((name) => `#/definitions/${name}`)

/** A document without its codes, with which openapi-diff takes minutes. */
const withoutCodes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutCodes)
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && OPAQUE.includes(String(value.$ref))) return { type: 'object' }
  const members = Object.entries(value).filter(([name, member]) => name !== 'enum' || !Array.isArray(member))
  return Object.fromEntries(members.map(([name, member]) => [name, withoutCodes(member)]))
}

/** Where codes that a released document lists are missing in the recorded one. */
function removedCodes(released: unknown, recorded: unknown, at: string): string[] {
  if (typeof released !== 'object' || typeof recorded !== 'object' || !released || !recorded) return []
  const after = recorded as Record<string, unknown>
  return Object.entries(released).flatMap(([name, before]) => {
    const now = after[name]
    if (name !== 'enum' || !Array.isArray(before) || !Array.isArray(now))
      return removedCodes(before, now, `${at}.${name}`)
    return before.every((code) => now.includes(code)) ? [] : [`codes.remove ${at}`]
  })
}

const specOf = (location: string, document: unknown): Spec => ({
  content: JSON.stringify(withoutCodes(document)),
  location,
  format: 'swagger2'
})

async function breakingDifferences(name: string): Promise<string[]> {
  const file = join('openapi', name)
  if (!existsSync(file)) return [`${name} is missing`]
  const released: unknown = JSON.parse(git('show', `${since}:openapi/${name}`))
  const recorded: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const { breakingDifferences = [] } = await diffSpecs({
    sourceSpec: specOf(since, released),
    destinationSpec: specOf(file, recorded)
  })
  return [
    ...new Set(breakingDifferences.map((each) => differenceName(name, each))),
    ...removedCodes(released, recorded, '').map((each) => `${name} ${each}`)
  ]
}

const documents = git('ls-tree', '--name-only', `${since}:openapi`)
  .split('\n')
  .filter((name) => name.endsWith('.json'))
const found = (await Promise.all(documents.map(breakingDifferences))).flat()
const forbidden = found.filter((name) => !(name in allowed))
const stale = Object.keys(allowed).filter((name) => !found.includes(name))
for (const name of forbidden) process.stdout.write(`Breaks clients of the last release: ${name}\n`)
for (const name of stale) process.stdout.write(`No longer needed in allowed.json: ${name}\n`)
process.stdout.write(
  `Compared ${documents.length} documents: ${found.length} differences that break clients, ${forbidden.length} not allowed.\n`
)
process.exitCode = forbidden.length + stale.length > 0 ? 1 : 0
