import { findObstacles, type Obstacle } from '../../catalogue/orderability.js'
import { catalogueProblem } from '../../catalogue/problems.js'
import type { Call } from '../../platform/auth/call.js'
import { inEachLanguage, type Words } from '../../platform/errors/language.js'
import { type FaultyResource, FieldErrors, type MakeProblem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { findRelationFaults, type LineRelation } from '../device/relation.js'
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

/** Finds the locations of what is wrong. */
export interface Locate<L> {
  /** Those of an obstacle, one for each line that it concerns. */
  obstacle: (obstacle: Obstacle) => readonly ObstacleLocation[]
  /** That of the relation of a line to a device. */
  relation: (line: L) => ObstacleLocation
}

/**
 * Checks that the open lines of an order can be ordered today, and relate to devices in use. Runs
 * when a line is added or changed, and again when the order is submitted.
 * @throws Problem with the code of the first obstacle, all of them in `errors`.
 */
export async function assertOrderable<L extends LineRelation & Pick<LineRow, 'status'>>(
  ports: Pick<Ports, 'db' | 'today'>,
  call: Call,
  { buyerId, sellerId, patient }: Pick<OrderRow, 'buyerId' | 'sellerId' | 'patient'>,
  lines: readonly L[],
  locate: Locate<L>
): Promise<void> {
  const open = lines.filter((line) => isOpen(line.status))
  const itemIds = open.map((line) => line.itemId)
  const errors = new FieldErrors()
  const add = (
    make: MakeProblem<string>,
    { code, detail }: { code: string; detail: Words },
    { pointer, resource }: ObstacleLocation
  ) => {
    const words = resource ? inEachLanguage((language) => `${resource.url}: ${detail[language]}`) : detail
    errors.add(make, code, pointer, words, resource)
  }
  for (const obstacle of await findObstacles(ports, { buyerId, sellerId, patient }, itemIds))
    for (const location of locate.obstacle(obstacle))
      add(catalogueProblem as MakeProblem<string>, obstacle, location)
  for (const fault of await findRelationFaults(ports, call, patient, open))
    add(fault.make, fault, locate.relation(fault.line))
  errors.check()
}
