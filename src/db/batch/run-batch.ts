/**
 * Runs a statement for several entries at once: its parameter is the JSON of all of them, each with its `number`, and its rows tell by
 * that number whose they are.
 * @returns the row of each entry, undefined where it has none.
 */
export async function runBatch<T extends object, R>(
  entries: readonly T[],
  run: (json: string) => Promise<readonly R[]>,
  numberOf: (row: R) => number
): Promise<(R | undefined)[]> {
  const rows = await run(JSON.stringify(entries.map((entry, number) => ({ ...entry, number }))))
  const answers = new Array<R | undefined>(entries.length).fill(undefined)
  for (const row of rows) answers[numberOf(row)] = row
  return answers
}
