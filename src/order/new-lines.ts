import { findItemsByUrl } from '../catalogue/lookup.js'
import { itemResource } from '../catalogue/resources.js'
import type { FieldErrors } from '../platform/errors/field-errors.js'
import { formUnlessIn } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import { resolveCode } from '../terminology/known-code.js'
import { orderLineProblem } from './line.texts.js'
import type { OrderLineInput } from './model/order-line.schemas.js'
import { orderLineResource } from './model/resources.js'
import { initialLineStatuses, type LineStatus } from './model/states.js'
import type { LineRow } from './store/tables.js'
import { orderProblem } from './texts.js'

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
  deletedAt: null,
  agreedFrom: null,
  agreedTo: null,
  closedAt: null,
  performedAt: null,
  receivedBy: null,
  tookEndBack: false,
  orderedItem: null
}

/** The device members of a new line, all null: lines of a draft deliver no device. */
export const noDevices = {
  device: null,
  relatedDevice: null,
  modelId: null,
  item: null,
  modelNow: null,
  isModelWithdrawn: false
}

/**
 * Resolves the codes and the items of new lines, in the same order. Adds a field error for each
 * invalid code or item. With an error the result is unusable.
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
      errors.add(orderProblem('not-initial-status', `${pointer}/status`))
    const action = resolveCode(terminology, errors, 'order-line-action', input.action, `${pointer}/action`)
    const item = items.get(input.item)
    if (!item) errors.add(unknownItem(ports, input.item, `${pointer}/item`))
    const relatedTo = resolveRelatedLine(ports, errors, input.relatedTo, `${pointer}/relatedTo`)
    return { itemId: item?.id ?? '', status: status as LineStatus, action, relatedTo }
  })
}

/** The id in the URL of a related line. Adds the error `dangling-reference` for any other text. */
export function resolveRelatedLine(
  { resourceUrls }: Pick<Ports, 'resourceUrls'>,
  errors: FieldErrors,
  url: string | null | undefined,
  pointer: string
): string | null {
  const id = url == null ? null : resourceUrls.id(orderLineResource, url)
  if (url != null && id === undefined) {
    const form = formUnlessIn(resourceUrls, orderLineResource, url)
    errors.add(orderProblem('dangling-reference.relatedLine', pointer, { form }))
  }
  return id ?? null
}

/** The problem of a text that is not the URL of an item. */
export const unknownItem = ({ resourceUrls }: Pick<Ports, 'resourceUrls'>, url: string, pointer?: string) =>
  orderLineProblem('dangling-reference.item', pointer ?? null, {
    form: formUnlessIn(resourceUrls, itemResource, url)
  })
