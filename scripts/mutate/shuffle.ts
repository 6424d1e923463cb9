/** The items in a random order that depends only on the seed (xorshift). */
export function shuffle<T>(items: readonly T[], seed: number): T[] {
  let state = (seed * 2654435761) >>> 0 || 1
  const random = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  return items
    .map((item) => ({ item, position: random() }))
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item)
}
