import type { Sql } from 'postgres'

/** A request of a work, precomputed. */
export interface BenchRequest {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  /** Place of its token in the work's tokens. */
  token: number
  body?: string
  /** What a good answer holds, besides its status. */
  holds?: string
}

/** What a work asks of servers. */
export interface Prepared {
  requests: readonly BenchRequest[]
  /** Who calls. */
  callers: readonly BenchCaller[]
}

export interface BenchCaller {
  userType: 'AdministrativeClerk' | 'MonitoringResponsible' | 'Provider'
  organization: string
}

/** Something that every server is asked to do. */
export interface Work {
  name: string
  title: string
  /** Status of a good answer. */
  status: number
  /** Bytes of a good answer at least. */
  least: number
  /** Whether each request can be sent once alone, so that a round ends when all are sent. */
  once?: boolean
  /** Answers until the compiler of JavaScript has done most of what it will. */
  warmUp: number
  /** Makes requests from a seed, for a database with a year of data. */
  prepare(sql: Sql, seed: number): Promise<Prepared>
  /** Puts the database back to what it was, between rounds. */
  reset?(sql: Sql): Promise<void>
  /** What of an answer must be the same whoever gave it. */
  gist?(body: unknown): unknown
}

/** Where references lead, whichever server answers. */
export const publicUrl = 'https://ssl.example'

export const orderUrl = (id: string) => `${publicUrl}/ssl-order/v1/order/${id}`
export const partyUrl = (id: string) => `${publicUrl}/ssl-order/v1/party/${id}`
export const catalogueUrl = (id: string) => `${publicUrl}/ssl-catalogue/v1/catalogue/${id}`

/** Callers by their organization, each once. */
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
