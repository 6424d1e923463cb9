/** How much of everything there is in a national year. */
export interface Size {
  buyers: number
  sellers: number
  accounts: number
  catalogues: number
  items: number
  blackListEntries: number
  patients: number
  orders: number
}

const whole: Size = {
  buyers: 100,
  sellers: 90,
  accounts: 10,
  catalogues: 200,
  items: 50_000,
  blackListEntries: 20_000,
  patients: 50_000,
  orders: 200_000
}

/** A part of a year: fewer parties as well, so that each of them has as much as in the whole. */
export const sizeAt = (scale: number): Size =>
  Object.fromEntries(
    Object.entries(whole).map(([name, count]) => [name, Math.max(1, Math.round(count * scale))])
  ) as unknown as Size

export const yearBegins = Date.UTC(2025, 0, 1)
export const day = 86_400_000
export const yearEnds = yearBegins + 365 * day
