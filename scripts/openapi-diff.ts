import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingTools, requireTool } from './document-tools.js'

/*
 * Compares the recorded OpenAPI documents with those of the last release, which `openapi/released`
 * contains without prose and examples. It fails for a difference that breaks a client, unless
 * `allowed.json` there lists it with a reason, and for an entry of `allowed.json` without a difference.
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

const RELEASED_FOLDER = join('openapi', 'released')

/** The reasons of allowed differences, by their names. */
const allowed = JSON.parse(readFileSync(join(RELEASED_FOLDER, 'allowed.json'), 'utf8')) as Record<
  string,
  string
>

/** The name of a difference: its code and its location in the released or recorded document. */
const differenceName = (
  api: string,
  { code, sourceSpecEntityDetails: [before], destinationSpecEntityDetails: [after] }: Difference
) => `${api} ${code} ${before?.location ?? after?.location ?? ''}`

/** Replaced in the details of an order, whose two forms openapi-diff compares for minutes. */
const DETAILS = '#/definitions/OrderDetails'

/** A document without its codes, with which openapi-diff takes minutes. */
const withoutCodes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutCodes)
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && value.$ref === DETAILS) return { type: 'object' }
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

const jsonOf = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as unknown

const specOf = (file: string): Spec => ({
  content: JSON.stringify(withoutCodes(jsonOf(file))),
  location: file,
  format: 'swagger2'
})

async function breakingDifferences(name: string): Promise<string[]> {
  const recorded = join('openapi', name)
  if (!existsSync(recorded)) return [`${name} is missing`]
  const { breakingDifferences = [] } = await diffSpecs({
    sourceSpec: specOf(join(RELEASED_FOLDER, name)),
    destinationSpec: specOf(recorded)
  })
  const codes = removedCodes(jsonOf(join(RELEASED_FOLDER, name)), jsonOf(recorded), '')
  return [
    ...new Set(breakingDifferences.map((each) => differenceName(name, each))),
    ...codes.map((each) => `${name} ${each}`)
  ]
}

const documents = readdirSync(RELEASED_FOLDER).filter((name) => name !== 'allowed.json')
const found = (await Promise.all(documents.map(breakingDifferences))).flat()
const forbidden = found.filter((name) => !(name in allowed))
const stale = Object.keys(allowed).filter((name) => !found.includes(name))
for (const name of forbidden) process.stdout.write(`Breaks clients of the last release: ${name}\n`)
for (const name of stale) process.stdout.write(`No longer needed in allowed.json: ${name}\n`)
process.stdout.write(
  `Compared ${documents.length} documents: ${found.length} differences that break clients, ${forbidden.length} not allowed.\n`
)
process.exitCode = forbidden.length + stale.length > 0 ? 1 : 0
