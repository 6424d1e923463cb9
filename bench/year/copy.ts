import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Sql } from 'postgres'

export type Value = string | number | boolean | null | Date | readonly string[] | object

/** Takes the rows of one table. */
export interface TableWriter {
  write(row: readonly Value[]): void
  /** Waits until the database has taken what was written so far. */
  drained(): Promise<void>
  end(): Promise<void>
}

/** Characters that are handed over at once. */
const chunk = 1 << 18

/** Opens a COPY into these columns of a table, on a connection of its own. */
export async function copyInto(sql: Sql, table: string, columns: readonly string[]): Promise<TableWriter> {
  const stream: Writable = await sql.unsafe(`copy ${table} (${columns.join(', ')}) from stdin`).writable()
  const failed = new Promise<never>((_, reject) => stream.once('error', reject))
  failed.catch(() => {})
  let pending: string[] = []
  let size = 0
  let isFull = false
  const flush = () => {
    if (size === 0) return
    isFull = !stream.write(pending.join(''))
    pending = []
    size = 0
  }
  return {
    write(row) {
      const line = `${row.map(field).join('\t')}\n`
      pending.push(line)
      size += line.length
      if (size > chunk) flush()
    },
    async drained() {
      flush()
      if (isFull) await Promise.race([once(stream, 'drain'), failed])
      isFull = false
    },
    async end() {
      flush()
      const finished = once(stream, 'finish')
      stream.end()
      await Promise.race([finished, failed])
    }
  }
}

function field(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escaped(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value) && value.every((each) => typeof each === 'string') && value.length > 0)
    return escaped(`{${value.map((each) => JSON.stringify(each)).join(',')}}`)
  return typeof value === 'object' ? escaped(JSON.stringify(value)) : String(value)
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const escaped = (text: string) => text.replace(/[\\\t\n\r]/g, (each) => escapes[each] ?? each)
