import type { Sql } from 'postgres'

/** A precomputed request of a workload. */
export interface BenchRequest {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  /** Index of its token in the tokens of the workload. */
  token: number
  body?: string
  /** Text that a good response contains. */
  contains?: string
}

/** The requests of a workload. */
export interface Prepared {
  requests: readonly BenchRequest[]
  /** The callers. */
  callers: readonly BenchCaller[]
}

export interface BenchCaller {
  userType: 'AdministrativeClerk' | 'MonitoringResponsible' | 'Provider'
  organization: string
}

/** A workload for all servers. */
export interface Workload {
  name: string
  title: string
  /** Status of a good response. */
  status: number
  /** Minimum size of a good response, in bytes. */
  minBytes: number
  /** Whether each request can be sent only once; the round then ends after all of them. */
  once?: boolean
  /** Number of responses until the JIT compiler has settled. */
  warmUp: number
  /** Generates requests from a seed, for a database with a year of data. */
  prepare(sql: Sql, seed: number): Promise<Prepared>
  /** Restores the database between rounds. */
  reset?(sql: Sql): Promise<void>
  /** The part of a response that must be the same on all servers. */
  comparable?(body: unknown): unknown
}

/** The base of references, the same for all servers. */
export const publicUrl = 'https://ssl.example'

export const orderUrl = (id: string) => `${publicUrl}/ssl-order/v1/order/${id}`
export const partyUrl = (id: string) => `${publicUrl}/ssl-order/v1/party/${id}`
export const catalogueUrl = (id: string) => `${publicUrl}/ssl-catalogue/v1/catalogue/${id}`

/** Unique callers by organization. */
export function callersOf(userType: BenchCaller['userType'], organizations: readonly string[]) {
  const distinct = [...new Set(organizations)]
  const places = new Map(distinct.map((organization, at) => [organization, at]))
  return {
    callers: distinct.map((organization) => ({ userType, organization })),
    tokenOf: (organization: string) => places.get(organization) ?? 0
  }
}

/** The last part of a reference. */
export const idIn = (url: unknown) => String(url).split('/').at(-1)
