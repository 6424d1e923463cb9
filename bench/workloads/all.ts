import type { Sql } from 'postgres'
import { details, list, search } from './reads.js'
import type { Prepared, Workload } from './workload.js'
import { accept, bulk } from './writes.js'

/** The reading workloads in turns, with short responses: for measurements with many requests. */
export const mixed: Workload = {
  name: 'mixed',
  title: 'order details, item search and list in turns',
  status: 200,
  minBytes: 2,
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
        const { contains: _, ...others } = request
        const path = request.path.replace(/limit=\d+/, 'limit=5')
        return [{ ...others, path, token: request.token + before }]
      })
    )
    return { requests: requests.flat(), callers }
  }
}

/** The workloads in order: reading ones first. */
export const workloads: readonly Workload[] = [details, search, list, accept, bulk]

/** The workloads of these names, comma-separated; all without names. */
export function workloadsNamed(names: string | undefined): readonly Workload[] {
  if (names === undefined) return workloads
  return names.split(',').map((name) => {
    const workload = workloads.find((each) => each.name === name)
    if (!workload)
      throw new Error(`There is no workload ${name}: ${workloads.map((each) => each.name).join(', ')}.`)
    return workload
  })
}
