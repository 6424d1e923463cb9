import type { Sql } from 'postgres'
import type { Fixture } from '../fixture.js'
import type { RunningServer } from '../servers.js'

/** The caller with the fewest orders, and how many events there are. */
interface LargeLedger {
  count: number
  seller: string
}

/** Events that one request passes without finding any. */
const EVENTS_PASSED = 20_000

/** Adds events of existing orders, as of the last weeks, and a seller with three orders among them. */
export async function fillLedger(sql: Sql, count: number): Promise<LargeLedger> {
  const [orders] = await sql`select count(*)::int as total from orders where submitted_at is not null`
  await sql`
    insert into events (time, id, type, change, subject_id, owner_id, sequence, old_status, new_status, is_of_draft)
    select now() - (${count} - number) * interval '60 days' / ${count}, gen_random_uuid(), 'order.status-changed',
      'changed', o.id, o.id, 1, 'SUBMITTED', 'ACCEPTED', false
    from generate_series(1, ${count}::int) number
    join (select id, row_number() over () as row from orders where submitted_at is not null) o
      on o.row = 1 + number % ${orders?.total}::int
    order by number`
  const seller = 'https://fhir.example/Organization/few'
  await sql.begin(async (tx) => {
    const [party] = await tx`
      insert into parties (id, allowed_roles, name, organization, created_at)
      values (gen_random_uuid(), '{SELLER}', 'Few', ${seller}, now()) returning id`
    await tx`update orders set seller_id = ${party?.id} where id in (
      select id from orders where submitted_at is not null order by md5(id::text) limit 3)`
  })
  await sql`vacuum analyze events`
  return { count, seller }
}

/** What it takes to read the whole ledger, and to find nothing new. */
export async function largeLedgerRows(
  { origin }: RunningServer,
  { issuer }: Fixture,
  { count, seller }: LargeLedger
): Promise<string[]> {
  const [token] = await issuer.tokensOf([{ userType: 'Provider', organization: seller }])
  const times: number[] = []
  let events = 0
  let next = `${origin}/ssl-order/v1/events`
  async function ask(): Promise<number> {
    const began = performance.now()
    const response = await fetch(next, { headers: { authorization: `Bearer ${token}` } })
    const found = (await response.json()) as unknown[]
    times.push(performance.now() - began)
    const [, url = ''] = /<([^>]+)>/.exec(response.headers.get('link') ?? '') ?? []
    next = origin + url.slice(new URL(url).origin.length)
    events += found.length
    return found.length
  }
  for (let passed = 0; passed <= count; ) passed += (await ask()) || EVENTS_PASSED
  const asks = times.length
  const most = Math.max(...times)
  const sum = times.reduce((total, each) => total + each, 0)
  times.length = 0
  for (let at = 0; at < 100; at++) await ask()
  const median = times.toSorted((one, other) => one - other)[50] ?? 0
  return [
    `| a seller with 3 orders among ${count} events | asks | ms at most | ms in all |`,
    '|---|---|---|---|',
    `| reads all of them (finds ${events}) | ${asks} | ${Math.round(most)} | ${Math.round(sum)} |`,
    `| asks again and finds nothing, median | 100 | ${median.toFixed(1)} | |`
  ]
}
