import type { Sql } from 'postgres'

/** A precomputed request of a workload. */
export interface BenchRequest {
  method: string
  path: string
  /** Index of its token in the tokens of the workload. */
  token: number
  body?: string | Buffer
  /** Default with a body: JSON. */
  contentType?: string | undefined
  /** Default: none. */
  accept?: string
  /** Text that a correct response contains. */
  contains?: string
}

/** The requests of a workload. */
export interface PreparedWorkload {
  requests: readonly BenchRequest[]
  /** The callers. */
  callers: readonly BenchCaller[]
}

export interface BenchCaller {
  userType: 'AdministrativeClerk' | 'MonitoringResponsible' | 'Provider'
  organization: string
  /** Another user of the organization. */
  name?: string
}

/** A workload for all servers. */
export interface Workload {
  name: string
  title: string
  /** Status of a correct response. */
  status: number
  /** Minimum size of a correct response, in bytes. */
  minBytes: number
  /** Whether each request can be sent only once; the round then ends after all of them. */
  once?: boolean
  /** Number of responses until the JIT compiler has settled. */
  warmUp: number
  /** Generates requests, the same at each run, for a database with a year of data. */
  prepare(sql: Sql): Promise<PreparedWorkload>
  /** Restores the database between rounds. */
  reset?(sql: Sql): Promise<void>
}

/** The base of references, the same for all servers. */
export const publicUrl = 'https://ssl.example'

export const partyUrl = (id: string) => `${publicUrl}/ssl-order/v1/party/${id}`

/** Names of annotations of buyers. Every search uses the first two. */
export const annotationNames = [
  'ehealth/device-type',
  'ehealth/device-measurement-type',
  'ehealth/device-measurement-unit',
  'ehealth/device-calibration-type',
  'ehealth/device-metric-category',
  'ehealth/device-metric-measuring-quality-initial'
]

/** The requests for rows, each sent by the caller of the row's organization. */
export function requestsOf<Row extends { organization: string }>(
  userType: BenchCaller['userType'],
  rows: readonly Row[],
  requestOf: (row: Row, at: number) => Omit<BenchRequest, 'token'>
): PreparedWorkload {
  const organizations = [...new Set(rows.map(({ organization }) => organization))]
  const places = new Map(organizations.map((organization, at) => [organization, at]))
  return {
    callers: organizations.map((organization) => ({ userType, organization })),
    requests: rows.map((row, at) => ({ ...requestOf(row, at), token: places.get(row.organization) ?? 0 }))
  }
}

/** The element of a list at any position. After its end the list begins again. */
export function cyclicElement<T>(list: readonly T[], at: number): T {
  const found = list[at % list.length]
  if (found === undefined) throw new Error('There is too little data. Take a larger --scale.')
  return found
}
