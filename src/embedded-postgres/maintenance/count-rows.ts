import postgres from 'postgres'

/** The number of rows of each of these tables. A table that does not exist has none. */
export async function countRows(url: string, tables: readonly string[]): Promise<Record<string, number>> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
  try {
    const counts: Record<string, number> = {}
    for (const table of tables) {
      const [found] = await sql`select to_regclass(${table}) is not null as "exists"`
      const [row] = found?.exists ? await sql`select count(*)::float8 as count from ${sql(table)}` : []
      counts[table] = row?.count ?? 0
    }
    return counts
  } finally {
    await sql.end({ timeout: 5 })
  }
}
