/*
 * The time that the provider has agreed with the receiver for an order line. The time may be in the
 * past, or outside the buyer's wish, because both sides see it.
 */

/** The columns of a line: either both are set or neither. */
export interface AgreedTime {
  agreedFrom: Date | null
  agreedTo: Date | null
}

export const MAX_AGREED_DAYS = 31

/** The names of the members that differ between two agreed times. */
export const changedTimeMembers = (before: AgreedTime, after: AgreedTime): string[] =>
  (['agreedFrom', 'agreedTo'] as const).filter((name) => before[name]?.getTime() !== after[name]?.getTime())
