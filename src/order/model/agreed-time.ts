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
