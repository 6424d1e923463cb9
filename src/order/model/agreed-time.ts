/*
 * The time that the provider has agreed with the receiver for an order line. It may be in the past,
 * or outside the buyer's wish: both sides see what was agreed.
 */

/** The columns of a line. Both are set, or neither is. */
export interface AgreedTime {
  agreedFrom: Date | null
  agreedTo: Date | null
}

/** Maximum length of an agreed time. */
export const MAX_AGREED_DAYS = 31

/** The names of the members that differ between two agreed times. */
export const changedTimeMembers = (before: AgreedTime, after: AgreedTime): string[] =>
  (['agreedFrom', 'agreedTo'] as const).filter((name) => before[name]?.getTime() !== after[name]?.getTime())

/**
 * The end of the latest agreed time of an order's lines, by which an index finds the order. Null if
 * no line has one. The value of before if the time is the same, so that the order is unchanged.
 */
export function latestAgreedTo(
  lines: readonly (AgreedTime & { deletedAt: Date | null })[],
  before: Date | null
): Date | null {
  const ends = lines.flatMap(({ agreedTo, deletedAt }) =>
    agreedTo && !deletedAt ? [agreedTo.getTime()] : []
  )
  if (ends.length === 0) return null
  const latest = Math.max(...ends)
  return before?.getTime() === latest ? before : new Date(latest)
}
