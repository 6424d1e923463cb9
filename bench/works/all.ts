import type { Sql } from 'postgres'
import { details, list, search } from './reads.js'
import type { Prepared, Work } from './work.js'
import { accept, bulk } from './writes.js'

/** The reading workloads in turns, with short responses: for measurements with many requests. */
export const mixed: Work = {
  name: 'mixed',
  title: 'order details, item search and list in turns',
  status: 200,
  least: 2,
  warmUp: 10_000,
  async prepare(sql: Sql, seed: number): Promise<Prepared> {
    const parts = [
      await details.prepare(sql, seed),
      await search.prepare(sql, seed),
      await list.prepare(sql, seed)
    ]
    const callers = parts.flatMap((part) => part.callers)
    const rounds = parts[0]?.requests.length ?? 0
    const requests = Array.from({ length: rounds }, (_, at) =>
      parts.flatMap((part, nth) => {
        const request = part.requests[at % part.requests.length]
        const before = parts.slice(0, nth).reduce((sum, { callers }) => sum + callers.length, 0)
        if (!request) return []
        const { holds: _, ...others } = request
        const path = request.path.replace(/limit=\d+/, 'limit=5')
        return [{ ...others, path, token: request.token + before }]
      })
    )
    return { requests: requests.flat(), callers }
  }
}

/** The workloads in order: reading ones first. */
export const works: readonly Work[] = [details, search, list, accept, bulk]

/** The workloads of these names, comma-separated; all without names. */
export function worksNamed(names: string | undefined): readonly Work[] {
  if (names === undefined) return works
  return names.split(',').map((name) => {
    const work = works.find((each) => each.name === name)
    if (!work) throw new Error(`There is no work ${name}: ${works.map((each) => each.name).join(', ')}.`)
    return work
  })
}
