import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiDiff from 'openapi-diff'

/*
 * Compares the recorded OpenAPI documents with those of the last release, which are kept in `openapi/released` without their prose and
 * examples. A difference that breaks a client fails, unless `allowed.json` there names it with a reason, as does an entry of
 * `allowed.json` that is no longer needed.
 */

interface Difference {
  code: string
  sourceSpecEntityDetails: { location: string }[]
  destinationSpecEntityDetails: { location: string }[]
}

const released = join('openapi', 'released')

/** Differences that are allowed, by their names, with the reason. */
const allowed = JSON.parse(readFileSync(join(released, 'allowed.json'), 'utf8')) as Record<string, string>

/** Names a difference: what it is and where, in the released document or in the recorded one. */
const nameOf = (
  api: string,
  { code, sourceSpecEntityDetails: [before], destinationSpecEntityDetails: [after] }: Difference
) => `${api} ${code} ${before?.location ?? after?.location ?? ''}`

const specOf = (file: string) => ({
  content: readFileSync(file, 'utf8'),
  location: file,
  format: 'swagger2' as const
})

async function breakingDifferences(name: string): Promise<string[]> {
  const recorded = join('openapi', name)
  if (!existsSync(recorded)) return [`${name} is missing`]
  const outcome = await openapiDiff.diffSpecs({
    sourceSpec: specOf(join(released, name)),
    destinationSpec: specOf(recorded)
  })
  const breaking = outcome.breakingDifferencesFound ? (outcome.breakingDifferences as Difference[]) : []
  return [...new Set(breaking.map((each) => nameOf(name, each)))]
}

const documents = readdirSync(released).filter((name) => name !== 'allowed.json')
const found = (await Promise.all(documents.map(breakingDifferences))).flat()
const forbidden = found.filter((name) => !(name in allowed))
const stale = Object.keys(allowed).filter((name) => !found.includes(name))
for (const name of forbidden) process.stdout.write(`Breaks clients of the last release: ${name}\n`)
for (const name of stale) process.stdout.write(`No longer needed in allowed.json: ${name}\n`)
process.stdout.write(
  `Compared ${documents.length} documents: ${found.length} differences that break clients, ${forbidden.length} not allowed.\n`
)
process.exitCode = forbidden.length + stale.length > 0 ? 1 : 0
