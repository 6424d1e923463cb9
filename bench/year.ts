import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { startDatabase } from './database.js'

/* Makes a year of data, unless it is there, and tells how much there is of everything: `npm --prefix bench run year -- --scale=0.1`. */

const { values } = parseArgs({ options: { scale: { type: 'string', default: '1' } } })
const database = await startDatabase()
try {
  const began = performance.now()
  const sql = postgres(await database.copy('year_look', Number(values.scale)), { max: 1 })
  process.stdout.write(`${Math.round((performance.now() - began) / 1000)} s\n`)
  const tables = await sql`
    select relname as name, reltuples::int as rows, pg_size_pretty(pg_total_relation_size(oid)) as size
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`
  for (const { name, rows, size } of tables) process.stdout.write(`${name}: ${rows} rows, ${size}\n`)
  await sql.end()
  await database.drop('year_look')
} finally {
  await database.stop()
}
