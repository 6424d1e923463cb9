/**
 * Runs one statement for several entries. The statement takes the JSON of all entries, each with
 * its `number`; `numberOf` reads that number from a returned row.
 * @returns the row of each entry; undefined for an entry without a row.
 */
export async function runBatch<T extends object, R>(
  entries: readonly T[],
  execute: (json: string) => Promise<readonly R[]>,
  numberOf: (row: R) => number
): Promise<(R | undefined)[]> {
  const rows = await execute(JSON.stringify(entries.map((entry, number) => ({ ...entry, number }))))
  const results = new Array<R | undefined>(entries.length).fill(undefined)
  for (const row of rows) results[numberOf(row)] = row
  return results
}
