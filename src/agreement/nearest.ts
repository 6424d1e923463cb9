import { distance } from 'fastest-levenshtein'
import { forEachYielding } from '../platform/concurrency/map-yielding.js'

/**
 * The text that differs least from a misspelt text; undefined if all texts differ by a quarter or
 * more.
 */
export async function nearestText(text: string, known: Iterable<string>): Promise<string | undefined> {
  let found: string | undefined
  let fewest = text.length / 4
  const lower = text.toLowerCase()
  await forEachYielding(known, (each) => {
    if (Math.abs(each.length - text.length) >= fewest) return
    const edits = distance(lower, each.toLowerCase())
    if (edits < fewest) [found, fewest] = [each, edits]
  })
  return found
}
