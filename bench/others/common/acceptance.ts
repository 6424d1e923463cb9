/** The statuses between which an order moves when its provider accepts it. */
export const [submitted, accepted] = ['SUBMITTED', 'ACCEPTED'] as const

/** Whether a JSON Patch asks for that move, and nothing else. */
export function isAcceptance(patch: unknown): boolean {
  const operations = Array.isArray(patch) ? patch : []
  const [{ op, path, value } = { op: '', path: '', value: '' }] = operations
  return operations.length === 1 && op === 'replace' && path === '/status/code' && value === accepted
}

/** What changes in an order that is accepted. */
export const acceptedOrder = (order: { revision: number; traceCount: number }, at: Date) => ({
  status: accepted,
  revision: order.revision + 1,
  traceCount: order.traceCount + 1,
  changedAt: at
})

/** The trace line that an order gets when it is accepted. */
export const acceptanceTrace = (order: { traceCount: number; seller: { name: string } }, at: Date) => ({
  seq: order.traceCount + 1,
  timestamp: at,
  createdByOrganization: order.seller.name,
  text: 'Order status changed.',
  supplementaryText: `Old value: ${submitted}. New value: ${accepted}.`,
  oldStatus: submitted,
  newStatus: accepted
})
