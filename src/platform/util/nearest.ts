import { forEachYielding } from '../concurrency/map-yielding.js'

/** The text that differs least from a misspelt one; undefined if all differ by a fourth or more. */
export async function nearest(text: string, known: Iterable<string>): Promise<string | undefined> {
  let found: string | undefined
  let fewest = text.length / 4
  const lower = text.toLowerCase()
  await forEachYielding(known, (each) => {
    if (Math.abs(each.length - text.length) >= fewest) return
    const edits = editDistance(lower, each.toLowerCase())
    if (edits < fewest) [found, fewest] = [each, edits]
  })
  return found
}

/** How many characters must be added, removed or replaced to make one text of the other. */
function editDistance(one: string, other: string): number {
  let above = Array.from({ length: [...other].length + 1 }, (_, at) => at)
  for (const [row, character] of [...one].entries()) {
    const edits = [row + 1]
    for (const [at, each] of [...other].entries()) {
      const [before = 0, left = 0, up = 0] = [above[at], edits[at], above[at + 1]]
      edits.push(Math.min(before + (each === character ? 0 : 1), left + 1, up + 1))
    }
    above = edits
  }
  return above.at(-1) ?? 0
}
