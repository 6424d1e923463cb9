import { findItemsByUrl } from '../../catalogue/lookup.js'
import type { FieldErrors } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { resolveCode } from '../../terminology/known-code.js'
import { invalidRelationDetail } from '../device/relation.js'
import type { OrderLineInput } from '../model/order-line.schemas.js'
import { initialLineStatuses, type LineStatus } from '../model/order-line.state.js'
import { orderProblem } from '../model/problems.js'
import { orderLineResource } from '../model/resources.js'
import type { LineRow } from '../store/tables.js'

/** A new line in the body of a request. */
export interface RequestLine {
  input: Pick<OrderLineInput, 'status' | 'item' | 'action' | 'relatedTo'>
  /** JSON Pointer to the line in the body. */
  pointer: string
}

/** What the input of a new line determines. */
export type NewLine = Pick<LineRow, 'itemId' | 'status' | 'action' | 'relatedTo'>

/** The other columns of a new line. */
export const newLineDefaults = {
  statusReasonCode: null,
  statusReasonText: null,
  eventCount: 0,
  deletedAt: null,
  agreedFrom: null,
  agreedTo: null
}

/**
 * Resolves the codes and the items of new lines, in the same order. Adds a field error for each
 * that is not valid; then the result is not usable.
 */
export async function resolveNewLines(
  ports: Ports,
  errors: FieldErrors,
  lines: readonly RequestLine[]
): Promise<NewLine[]> {
  const { terminology } = ports
  const items = await findItemsByUrl(
    ports,
    lines.map(({ input }) => input.item)
  )
  return lines.map(({ input, pointer }) => {
    const status = resolveCode(
      terminology,
      errors,
      'order-line-status',
      input.status ?? 'UNFULFILLED',
      `${pointer}/status`
    ) as LineStatus | ''
    if (status !== '' && !initialLineStatuses.includes(status))
      errors.add(orderProblem, 'not-initial-status', `${pointer}/status`, {
        en: `It must be ${initialLineStatuses.join(' or ')}, or left out.`,
        da: `Det skal være ${initialLineStatuses.join(' eller ')} eller udelades.`
      })
    const action = resolveCode(terminology, errors, 'order-line-action', input.action, `${pointer}/action`)
    const item = items.get(input.item)
    if (!item)
      errors.addUnresolvedReference(`${pointer}/item`, {
        en: 'It must be the URL of a catalogue item.',
        da: 'Det skal være adressen på en vare i et katalog.'
      })
    const relatedTo = input.relatedTo == null ? null : relatedLineId(ports, input.relatedTo)
    if (relatedTo === undefined) errors.addUnresolvedReference(`${pointer}/relatedTo`, invalidRelationDetail)
    return { itemId: item?.id ?? '', status: status as LineStatus, action, relatedTo: relatedTo ?? null }
  })
}

/** The id in the URL of a related line; undefined for anything else. */
export const relatedLineId = ({ resourceUrls }: Pick<Ports, 'resourceUrls'>, url: string) =>
  resourceUrls.id(orderLineResource, url)
