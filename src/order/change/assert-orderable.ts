import { type Obstacle, obstaclesTo } from '../../catalogue/orderability.js'
import { catalogueProblem } from '../../catalogue/problems.js'
import { FieldErrors } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { isOpen } from '../model/order-line.state.js'
import type { LineRow, OrderRow } from '../store/save-order.js'

/** Where in a request an obstacle stands, and what else there is to say before its detail. */
type Place = (obstacle: Obstacle) => { pointer: string; about?: string }

/**
 * Checks that the open lines of an order can be ordered today: when one is added, and again when the order is submitted.
 * @throws Problem with the code of the first obstacle, all of them in `errors`.
 */
export async function assertOrderable(
  ports: Pick<Ports, 'db' | 'today'>,
  { buyerId, sellerId, patient }: Pick<OrderRow, 'buyerId' | 'sellerId' | 'patient'>,
  lines: readonly LineRow[],
  placeOf: Place
): Promise<void> {
  const itemIds = lines.filter((line) => isOpen(line.status)).map((line) => line.itemId)
  const faults = new FieldErrors()
  for (const obstacle of await obstaclesTo(ports, { buyerId, sellerId, patient }, itemIds)) {
    const { pointer, about = '' } = placeOf(obstacle)
    faults.add(catalogueProblem, obstacle.code, pointer, `${about}${obstacle.detail}`)
  }
  faults.check()
}
