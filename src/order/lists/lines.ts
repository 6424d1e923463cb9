import { addRelatedSubjects } from '../../device/store.js'
import type { FilterPorts } from '../../filters/filter.js'
import type { Call } from '../../platform/auth/call.js'
import { parseAll } from '../../platform/errors/query-problem.js'
import { parseExpand } from '../../platform/rest/expand.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { toOrderLine } from '../line.serialize.js'
import { expandLines, lineExpansions } from './expand-lines.js'
import { type OrderLineFilters, parseLineSearch } from './line-filters.js'
import { findLines, type LinePosition, positionIn } from './select-lines.js'

export const parseLineQuery = (ports: FilterPorts, query: OrderLineFilters) =>
  parseAll(
    () => parseLineSearch(ports, query),
    () => parseExpand(query.expand, lineExpansions)
  )

/**
 * Lists a page of the order lines that the caller may see, order by order, in order of creation, or
 * by their agreed times.
 * @throws Problem `invalid-query`.
 */
export async function listOrderLines(
  ports: Ports,
  call: Call,
  query: OrderLineFilters,
  request: PageRequest<LinePosition>
): Promise<Page<LinePosition>> {
  const [search, expansion] = parseLineQuery(ports, query)
  if (!search) return expansion ? { ...emptyPage, expanded: '{}' } : emptyPage
  const rows = await findLines(ports, call, search, request)
  const positionOf = positionIn(search)
  const whole = await serializedPage(rows, request, positionOf, (row) =>
    JSON.stringify(toOrderLine(ports, call, row))
  )
  const page = expansion ? await expandLines(ports, call, whole, positionOf, request.bytes, expansion) : whole
  for (const row of page.rows) {
    call.auditContext.addSubject(row.patient, row.orderId)
    addRelatedSubjects(call, row.patient, [row])
  }
  return page
}
