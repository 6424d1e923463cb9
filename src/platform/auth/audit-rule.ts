import { isId } from '../rest/resource-urls.js'
import type { AuditSubject } from './audit-context.js'

/** The parts of a request that name what it asks for. They are not validated yet. */
export interface UrlParams {
  params: unknown
  query: unknown
}

/**
 * What the audit record of a route's requests names of what they ask for, whether it is there and shown or not. What a use case finds is
 * noted by the use case. A route on patients' data without such a rule keeps the server from starting.
 */
export interface AuditRule {
  /** Patients and orders that the address names. */
  address?: (address: UrlParams) => readonly AuditSubject[]
  /** Patients and orders that the body names, once it is valid. */
  body?: (body: unknown) => readonly AuditSubject[]
  /**
   * Finds the orders to which something else in the address leads, whoever may see them. It runs only where the use case found no
   * patient. The caller is shown such an order in the audit record only if it may read it.
   */
  lookUp?: (address: UrlParams) => Promise<readonly AuditSubject[]>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    audit?: AuditRule
  }
}

/** For requests that name neither a patient nor an order. */
export const noAuditSubjects: AuditRule = {}

const idIn = ({ params }: UrlParams): string[] => {
  const { id } = (params ?? {}) as { id?: string }
  return id !== undefined && isId(id) ? [id] : []
}

/** The id in the path is that of an order. */
export const orderInPath: AuditRule = {
  address: (address) => idIn(address).map((order) => ({ patient: null, order }))
}

/** The id in the path leads to an order. */
export const orderBehindPath = (lookUp: (id: string) => Promise<readonly AuditSubject[]>): AuditRule => ({
  lookUp: async (address) => (await Promise.all(idIn(address).map(lookUp))).flat()
})

/** What a filter or a member of a body names, if it is there. */
export const patientNamed = (patient: string | null | undefined): AuditSubject[] =>
  patient == null ? [] : [{ patient, order: null }]
export const orderNamed = (order: string | undefined): AuditSubject[] =>
  order === undefined ? [] : [{ patient: null, order }]
