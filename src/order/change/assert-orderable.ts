import { findObstacles, type Obstacle } from '../../catalogue/orderability.js'
import { catalogueProblem } from '../../catalogue/problems.js'
import { FieldErrors } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { isOpen } from '../model/order-line.state.js'
import type { LineRow, OrderRow } from '../store/tables.js'

/** The location of an obstacle in the request, and a prefix for its detail. */
type Locate = (obstacle: Obstacle) => { pointer: string; prefix?: string }

/**
 * Checks that the open lines of an order can be ordered today. Runs when a line is added or
 * changed, and again when the order is submitted.
 * @throws Problem with the code of the first obstacle, all of them in `errors`.
 */
export async function assertOrderable(
  ports: Pick<Ports, 'db' | 'today'>,
  { buyerId, sellerId, patient }: Pick<OrderRow, 'buyerId' | 'sellerId' | 'patient'>,
  lines: readonly LineRow[],
  locate: Locate
): Promise<void> {
  const itemIds = lines.filter((line) => isOpen(line.status)).map((line) => line.itemId)
  const errors = new FieldErrors()
  for (const obstacle of await findObstacles(ports, { buyerId, sellerId, patient }, itemIds)) {
    const { pointer, prefix = '' } = locate(obstacle)
    errors.add(catalogueProblem, obstacle.code, pointer, `${prefix}${obstacle.detail}`)
  }
  errors.check()
}
