import { findObstacles, type Obstacle } from '../../catalogue/orderability.js'
import { catalogueProblem } from '../../catalogue/problems.js'
import { type FaultyResource, FieldErrors } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { isOpen } from '../model/order-line.state.js'
import type { LineRow, OrderRow } from '../store/tables.js'

/** A location of an obstacle: a pointer into the body, and the stored line, if there is one. */
export interface ObstacleLocation {
  pointer: string
  resource?: FaultyResource
}

/** Whether a line has the item of an obstacle. Lines that are not open have no obstacles. */
export const concerns = ({ itemId }: Obstacle, line: Pick<LineRow, 'itemId' | 'status'>): boolean =>
  line.itemId === itemId && isOpen(line.status)

/**
 * Checks that the open lines of an order can be ordered today. Runs when a line is added or
 * changed, and again when the order is submitted.
 * @param locate finds the locations of an obstacle, one for each line that it concerns.
 * @throws Problem with the code of the first obstacle, all of them in `errors`.
 */
export async function assertOrderable(
  ports: Pick<Ports, 'db' | 'today'>,
  { buyerId, sellerId, patient }: Pick<OrderRow, 'buyerId' | 'sellerId' | 'patient'>,
  lines: readonly Pick<LineRow, 'itemId' | 'status'>[],
  locate: (obstacle: Obstacle) => readonly ObstacleLocation[]
): Promise<void> {
  const itemIds = lines.filter((line) => isOpen(line.status)).map((line) => line.itemId)
  const errors = new FieldErrors()
  for (const obstacle of await findObstacles(ports, { buyerId, sellerId, patient }, itemIds))
    for (const { pointer, resource } of locate(obstacle)) {
      const detail = resource ? `${resource.url}: ${obstacle.detail}` : obstacle.detail
      errors.add(catalogueProblem, obstacle.code, pointer, detail, resource)
    }
  errors.check()
}
