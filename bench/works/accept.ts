import type { Sql } from 'postgres'
import { callersOf, type Work } from './work.js'

const body = JSON.stringify([{ op: 'replace', path: '/status/code', value: 'ACCEPTED' }])

/** Orders are accepted by their providers, each once. */
export const accept: Work = {
  name: 'w3',
  title: 'accept an order',
  status: 204,
  least: 0,
  warmUp: 6000,
  once: true,
  async prepare(sql, seed) {
    await markOrders(sql, seed)
    await accept.reset?.(sql)
    const rows = await sql`
      select m.id, p.organization from bench.to_accept m join parties p on p.id = m.seller_id
      order by md5(m.id::text)`
    const { callers, tokenOf } = callersOf(
      'Provider',
      rows.map((row) => row.organization)
    )
    const requests = rows.map(({ id, organization }) => ({
      method: 'PATCH' as const,
      path: `/ssl-order/v1/order/${id}`,
      token: tokenOf(organization),
      body
    }))
    return { requests, callers }
  },
  async reset(sql) {
    await sql.begin(async (tx) => {
      // The database refuses to forget what happened, for everybody but a superuser who insists.
      await tx`set local session_replication_role = 'replica'`
      await tx`delete from trace_lines t using bench.to_accept m where t.order_id = m.id and t.seq > m.trace_count`
      await tx`
        update orders o set status = 'SUBMITTED', revision = m.revision, trace_count = m.trace_count, changed_at = m.changed_at
        from bench.to_accept m where o.id = m.id`
    })
    await sql`vacuum analyze orders, trace_lines`
    await sql`checkpoint`
  }
}

/** Chooses orders, whatever became of them in their year: a part of a year has too few that wait. */
async function markOrders(sql: Sql, seed: number): Promise<void> {
  await sql`create schema if not exists bench`
  await sql`drop table if exists bench.to_accept`
  await sql`
    create table bench.to_accept as
    select id, seller_id, revision, trace_count, changed_at from orders where submitted_at is not null
    order by md5(id::text || ${seed}::text) limit 15000`
  await sql`alter table bench.to_accept add primary key (id)`
}
