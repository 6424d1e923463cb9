import fc from 'fast-check'
import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { effort, seed } from '../fixtures/effort.js'
import { documentsOf, type Judge, judgeOf, type Operation, operationsOf } from '../fixtures/fuzz/documents.js'
import { callerOf, requestOf, requestsFor, sentBy, type Wanted } from '../fixtures/fuzz/requests.js'
import { type Things, things } from '../fixtures/fuzz/things.js'
import { refusalErrors } from '../fixtures/routes/refusal.js'
import { pathOf } from '../fixtures/world.js'

/**
 * Random requests made from the documents, valid and invalid, by all kinds of callers: every
 * response must be documented.
 */

/** Requests of each operation. */
const runs = Math.ceil(40 * effort)

/** The errors of a response to any request. */
async function faultsOf(
  judge: Judge,
  operation: Operation,
  wanted: Wanted,
  { caller, response, sent }: { caller: Caller; response: ApiResponse; sent: unknown }
): Promise<string[]> {
  const problem = wanted.accept === 'application/problem+json' ? wanted.accept : undefined
  return [
    ...(response.status >= 500 ? [`status ${response.status}`] : []),
    ...(response.status >= 400 && response.status < 500 ? refusalErrors(response, problem) : []),
    ...judge(operation, response, sent),
    ...(await faultsBehind(caller, response))
  ]
}

/** The creator of a resource can read it at `Location`; the reader of a page can read the next. */
async function faultsBehind(
  caller: Caller,
  { status, headers: { location, link } }: ApiResponse
): Promise<string[]> {
  const next = /<([^>]+)>; *rel="?next/.exec(link ?? '')?.[1]
  const addresses = [...(status === 201 && location ? [location] : []), ...(next ? [next] : [])]
  const faults: string[] = []
  for (const address of addresses) {
    const there = await caller.get(pathOf(address) + new URL(address).search)
    if (there.status !== 200) faults.push(`${address} answers ${there.status}`)
  }
  return faults
}

/** Shortens runs of a repeated character. */
const short = (text = '') => text.replace(/(.)\1{99,}/g, (run, each) => `${each} (${run.length} times)`)

const succeeded = (seen: ReadonlySet<number>) => [...seen].some((status) => status < 400)

/** Calls one operation at random; returns the statuses seen and the first error. */
async function tried(
  app: TestApp,
  world: Things,
  judge: Judge,
  operation: Operation,
  wishes: fc.Arbitrary<Wanted>
) {
  const seen = new Set<number>()
  const property = fc.asyncProperty(wishes, async (wanted) => {
    const caller = callerOf(app, wanted)
    const request = requestOf(operation, wanted, world)
    const sent = sentBy(operation, wanted, world)
    const response = await caller.send(request)
    seen.add(response.status)
    world.learn(response)
    const faults = await faultsOf(judge, operation, wanted, { caller, response, sent })
    if (faults.length > 0)
      throw new Error(
        `${faults.join('; ')}\n${request.method} ${request.url}: ${response.status} ${JSON.stringify(response.body)}`
      )
  })
  const usual = { seed, numRuns: runs, includeErrorInReport: true }
  let result = await fc.check(property, usual)
  // A guess succeeds by chance: without success the next seeds are tried.
  for (let more = 1; more <= 10 && !result.failed && !succeeded(seen); more++)
    result = await fc.check(property, { ...usual, seed: seed + more })
  return { seen, report: result.failed ? short(fc.defaultReportMessage(result)) : '' }
}

t.test(`random requests get documented responses, seed ${seed}`, async (t) => {
  const app = await testApp(t)
  const documents = await documentsOf(app.app)
  const all = documents.flatMap((document) =>
    operationsOf(document).map((operation) => ({ document, operation }))
  )
  const unsuccessful: string[] = []
  const judges = new Map(documents.map((document) => [document, judgeOf(document)]))
  for (const { document, operation } of all) {
    const judge = judges.get(document) ?? (() => [])
    const wishes = requestsFor(operation, document.definitions ?? {})
    const { seen, report } = await tried(app, await things(app), judge, operation, wishes)
    t.equal(report, '', `${operation.method} ${operation.path}: again with --seed=${seed}`)
    if (report !== '') continue
    if (!succeeded(seen)) unsuccessful.push(operation.id)
    t.ok(
      [...seen].some((status) => status >= 400),
      `${operation.id}: some were refused`
    )
  }
  // Input is guessed; the guesses are good enough if nearly all operations succeed once.
  t.ok(unsuccessful.length <= all.length / 10, `without success: ${unsuccessful.join(', ')}`)
})
