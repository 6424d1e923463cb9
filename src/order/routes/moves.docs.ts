import { type UserType, userTypes } from '../../platform/auth/caller.js'
import { markdownTable } from '../../platform/openapi/text.js'
import {
  type LineStatus,
  lineTransitions,
  orderStatusesAllowing,
  orderTransitions,
  type Transitions
} from '../model/states.js'

/** Moves from one status that the same user type makes. */
interface MoveRow<S> {
  from: S
  to: S[]
  by: UserType
}

function rowsOf<S extends string>(transitions: Transitions<S>): MoveRow<S>[] {
  return (Object.keys(transitions) as S[]).flatMap((from) =>
    userTypes
      .map((by) => ({
        from,
        by,
        to: (Object.keys(transitions[from]) as S[]).filter((to) => transitions[from][to] === by)
      }))
      .filter(({ to }) => to.length > 0)
  )
}

/** The moves of an order. */
export const orderMoveTable = (): string =>
  markdownTable(
    ['from', 'to', 'by'],
    rowsOf(orderTransitions).map(({ from, to, by }) => [from, to.join(', '), by])
  )

/** The moves of an order line, with the statuses of its order in which they are possible. */
export function lineMoveTable(): string {
  const rows = rowsOf(lineTransitions).flatMap(({ from, to, by }) =>
    to.map((each: LineStatus) => [from, each, by, orderStatusesAllowing[each].join(', ')])
  )
  return markdownTable(['from', 'to', 'by', 'while the order is'], rows)
}
