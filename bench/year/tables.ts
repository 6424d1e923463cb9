import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Sql } from 'postgres'

/** The tables in order of foreign keys, with the columns written. */
const columns = {
  parties: ['parties', 'id allowed_roles name email organization created_at'],
  contracts: ['contracts', 'id name first_day last_day seller_id account_id reminder_days created_at'],
  contractBuyers: ['contract_buyers', 'contract_id position buyer_id'],
  catalogues: ['catalogues', 'id identifiers seller_id name status created_at'],
  items: [
    'catalogue_items',
    'id catalogue_id type identifiers name description status manufacturer model version related_to_id service_type search_text created_at'
  ],
  identifiers: ['item_identifiers', 'catalogue_id digest item_id'],
  annotations: ['annotations', 'id item_id buyer_id name system code display created_at'],
  whiteList: ['white_list_entries', 'id buyer_id item_id created_at'],
  blackList: ['black_list_entries', 'id patient item_id created_at'],
  orders: [
    'orders',
    'id identifiers name status priority notes buyer_id seller_id receiver_name receiver_address_line1 receiver_address_line2 receiver_postal_code receiver_postal_district receiver_email receiver_phone patient search_text revision trace_count created_at changed_at submitted_at'
  ],
  lines: ['order_lines', 'id order_id item_id status action created_at'],
  traces: [
    'trace_lines',
    'id order_id seq timestamp created_by_organization text supplementary_text order_line_id old_status new_status'
  ]
} as const satisfies Record<string, readonly [table: string, columns: string]>
type Tables = Record<keyof typeof columns, TableWriter>

/** The number of connections that {@link openTables} takes. */
export const TABLE_COUNT = Object.keys(columns).length

/** Opens a COPY into each table, each on its own connection. */
export async function openTables(sql: Sql): Promise<Tables> {
  const opened = await Promise.all(
    Object.entries(columns).map(async ([name, [table, names]]) => [
      name,
      await copyInto(sql, table, names.split(' '))
    ])
  )
  return Object.fromEntries(opened) as Tables
}

type Value = string | number | boolean | null | Date | readonly string[] | object

/** Accepts the rows of one table. */
export interface TableWriter {
  write(row: readonly Value[]): void
  /** Waits until the database has received the rows written so far. */
  drained(): Promise<void>
  end(): Promise<void>
}

/** Waits for all of these tables. */
export const drainAll = async (to: Readonly<Record<string, TableWriter>>) => {
  for (const writer of Object.values(to)) await writer.drained()
}

/** Characters per chunk. */
const chunk = 1 << 18

/** Opens a COPY into these columns of a table, on its own connection. */
async function copyInto(sql: Sql, table: string, columns: readonly string[]): Promise<TableWriter> {
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
