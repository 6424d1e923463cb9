import { loadConfig } from '../../fastify.config.js'
import type { Quotas } from '../../src/platform/concurrency/quotas.js'
import { createSlotTable } from '../../src/platform/concurrency/slot-table.js'
import { markdownTable } from '../../src/platform/openapi/text.js'

const MIB = 1_048_576

/** The quotas of every bounded resource. */
export const slotTable = (): string =>
  markdownTable(
    ['resource', 'work', 'at a time', 'in the queue'],
    Object.entries(createSlotTable(loadConfig({}).limits.bulkConcurrency)).map(
      ([
        resource,
        {
          limits: { work, slots, queue }
        }
      ]) => [`\`${resource}\``, work, quotasText(slots), queue ? quotasText(queue) : 'none']
    )
  )

const quotasText = ({ total, caller, organization }: Quotas) =>
  [total, caller, organization].map(amountText).join(' / ')

const amountText = (amount: number): string => {
  if (amount === Number.POSITIVE_INFINITY) return 'any'
  return amount < MIB ? `${amount}` : `${amount / MIB} MiB`
}
