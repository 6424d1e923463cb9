/**
 * Sorts rows into the order of their ids.
 * @throws the error of `missing` when one of them is not there.
 */
export function inOrderOf<R extends { id: string }>(
  ids: readonly string[],
  rows: readonly R[],
  missing: () => Error
): R[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => {
    const row = byId.get(id)
    if (!row) throw missing()
    return row
  })
}
