import type { Sql } from 'postgres'
import { readEvents } from '../client.js'
import { percentile } from '../driver.js'
import type { Fixture } from '../fixture.js'
import type { RunningServer } from '../servers.js'
import { shown, startTable } from '../table.js'

/** Events that one request passes without finding any. */
const EVENTS_PASSED = 20_000

const seller = 'https://fhir.example/Organization/few'

/** Adds events of existing orders, as of the last weeks, and a seller with three orders among them. */
async function fillLedger(sql: Sql, count: number): Promise<void> {
  const [orders] = await sql`select count(*)::int as total from orders where submitted_at is not null`
  await sql`
    insert into events (time, id, type, change, subject_id, owner_id, sequence, old_status, new_status, is_of_draft)
    select now() - (${count} - number) * interval '60 days' / ${count}, gen_random_uuid(), 'order.status-changed',
      'changed', o.id, o.id, 1, 'SUBMITTED', 'ACCEPTED', false
    from generate_series(1, ${count}::int) number
    join (select id, row_number() over () as row from orders where submitted_at is not null) o
      on o.row = 1 + number % ${orders?.total}::int
    order by number`
  await sql`
    with few as (
      insert into parties (id, allowed_roles, name, organization, created_at)
      values (gen_random_uuid(), '{SELLER}', 'Few', ${seller}, now()) returning id
    )
    update orders set seller_id = few.id from few where orders.id in (
      select id from orders where submitted_at is not null order by md5(id::text) limit 3)`
  await sql`vacuum analyze events`
}

/** What it takes to read a whole ledger of this many events, and to find nothing new. */
export async function readLargeLedger({ origin }: RunningServer, { sql, tokensOf }: Fixture, count: number) {
  await fillLedger(sql, count)
  const [token = ''] = await tokensOf([{ userType: 'Provider', organization: seller }])
  let path = '/ssl-order/v1/events'
  async function ask() {
    const began = performance.now()
    const { events, next } = await readEvents(origin, token, path)
    path = next
    return { found: events.length, ms: performance.now() - began }
  }
  const asks: Awaited<ReturnType<typeof ask>>[] = []
  for (let passed = 0; passed <= count; passed += asks.at(-1)?.found || EVENTS_PASSED) asks.push(await ask())
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0)
  const times = asks.map(({ ms }) => ms)
  const found = sum(asks.map((each) => each.found))
  const later: number[] = []
  for (let at = 0; at < 100; at++) later.push((await ask()).ms)
  const table = startTable(`a seller with 3 orders among ${count} events | asks | ms at most | ms in all`)
  table.add(`reads all of them (finds ${found})`, asks.length, shown(Math.max(...times)), shown(sum(times)))
  table.add('asks again and finds nothing, median', later.length, shown(percentile(later, 0.5)), '')
  return table
}
