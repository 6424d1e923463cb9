/** Chance that repeats itself from a seed. */
export interface Random {
  /** From 0 to less than 1. */
  next(): number
  /** A whole number from 0 to less than `end`. */
  below(end: number): number
  pick<T>(from: readonly T[]): T
  /** Prefers the first ones: of a hundred the first comes up five times as often as the average. */
  pickSkewed<T>(from: readonly T[]): T
  chance(probability: number): boolean
}

/** Mulberry32: fast, and the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const at = <T>(from: readonly T[], share: number): T => {
    const found = from[Math.floor(share * from.length)]
    if (found === undefined) throw new Error('There is nothing to pick from.')
    return found
  }
  return {
    next,
    below: (end) => Math.floor(next() * end),
    pick: (from) => at(from, next()),
    pickSkewed: (from) => at(from, next() ** 1.5),
    chance: (probability) => next() < probability
  }
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/** A UUID version 7 of a moment, as the product makes its ids. */
export function idAt(random: Random, milliseconds: number): string {
  const time = hex(Math.floor(milliseconds), 12)
  const a = hex(0x7000 + random.below(0x1000), 4)
  const b = hex(0x8000 + random.below(0x4000), 4)
  const c = hex(random.below(0x1000000), 6) + hex(random.below(0x1000000), 6)
  return `${time.slice(0, 8)}-${time.slice(8)}-${a}-${b}-${c}`
}
