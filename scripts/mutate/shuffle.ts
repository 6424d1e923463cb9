/** In an order that the seed decides (xorshift). */
export function shuffled<T>(all: readonly T[], seed: number): T[] {
  let state = (seed * 2654435761) >>> 0 || 1
  const random = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  return all
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each)
}
