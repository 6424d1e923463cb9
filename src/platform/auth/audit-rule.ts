import type { preHandlerHookHandler } from 'fastify'
import { isId } from '../urls/resource-urls.js'
import type { AuditSubject } from './audit-context.js'

/** Path and query parameters of a request, not yet validated. */
export interface UrlParams {
  params: unknown
  query: unknown
}

/**
 * Finds the subjects that a request names, for its audit record, whether they exist or not. The
 * server does not start with a route on patient data without this rule.
 */
export interface AuditRule {
  url?: (params: UrlParams) => readonly AuditSubject[]
  body?: (body: unknown) => readonly AuditSubject[]
  /**
   * Finds the orders of other ids, such as ids of lines, which may be invalid or invisible to the
   * caller. Runs only when the use case found no patient.
   */
  lookUp?: (request: UrlParams & { body: unknown }) => Promise<readonly AuditSubject[]>
}

export const addBodySubjects = (): preHandlerHookHandler => (request, _reply, done) => {
  const { routeOptions, state, body } = request
  state.auditContext?.addSubjects(routeOptions.config.audit?.body?.(body))
  done()
}

export const noAuditSubjects: AuditRule = {}

const idIn = ({ params }: UrlParams): string[] => {
  const { id } = (params ?? {}) as { id?: string }
  return id !== undefined && isId(id) ? [id] : []
}

export const orderInPath: AuditRule = {
  url: (params) => idIn(params).map((order) => ({ patient: null, order }))
}

/** Finds the order of the id in the path. */
export const orderBehindPath = (lookUp: (id: string) => Promise<readonly AuditSubject[]>): AuditRule => ({
  lookUp: async (params) => (await Promise.all(idIn(params).map(lookUp))).flat()
})

export const patientSubjects = (patient: string | null | undefined): AuditSubject[] =>
  patient == null ? [] : [{ patient, order: null }]
export const orderSubjects = (order: string | undefined): AuditSubject[] =>
  order === undefined ? [] : [{ patient: null, order }]
