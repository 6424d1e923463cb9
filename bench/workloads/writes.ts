import type { Sql } from 'postgres'
import { createTerminology } from '../../src/terminology/terminology.js'
import { annotationNames, cyclicElement, partyUrl, publicUrl, requestsOf, type Workload } from './workload.js'

/** Providers accept orders, each once. */
export const acceptWorkload: Workload = {
  name: 'w3',
  title: 'accept an order',
  status: 204,
  minBytes: 0,
  warmUp: 6000,
  once: true,
  async prepare(sql) {
    await markOrders(sql)
    await acceptWorkload.reset?.(sql)
    const rows = await sql<{ id: string; organization: string }[]>`
      select m.id, p.organization from bench.to_accept m join parties p on p.id = m.seller_id
      order by md5(m.id::text)`
    return requestsOf('Provider', rows, ({ id }) => ({
      method: 'PATCH',
      path: `/ssl-order/v1/order/${id}`,
      body: JSON.stringify([{ op: 'replace', path: '/status/code', value: 'ACCEPTED' }])
    }))
  },
  async reset(sql) {
    await sql.begin(async (tx) => {
      // The trace is append-only; only a superuser can disable its triggers.
      await tx`set local session_replication_role = 'replica'`
      await tx`
        delete from trace_lines t using bench.to_accept m
        where t.order_id = m.id and t.seq > m.trace_count`
      await tx`
        update orders o set status = 'SUBMITTED', revision = m.revision, trace_count = m.trace_count,
          changed_at = m.changed_at
        from bench.to_accept m where o.id = m.id`
    })
    await sql`vacuum analyze orders, trace_lines`
    await sql`checkpoint`
  }
}

/** Chooses orders in any status, because a fraction of a year has too few submitted orders. */
async function markOrders(sql: Sql): Promise<void> {
  await sql`create schema if not exists bench`
  await sql`drop table if exists bench.to_accept`
  await sql`
    create table bench.to_accept as
    select id, seller_id, revision, trace_count, changed_at from orders where submitted_at is not null
    order by md5(id::text) limit 15000`
  await sql`alter table bench.to_accept add primary key (id)`
}

/**
 * Bulk creates of five hundred items with five annotations each. The number of the request replaces
 * `#` in a body, so that identifiers are unique.
 */
export const bulkWorkload: Workload = {
  name: 'w4',
  title: '500 items with 5 annotations each',
  status: 201,
  minBytes: 100_000,
  warmUp: 40,
  async prepare(sql) {
    // A clerk adds items to catalogues of sellers that its organization has registered.
    const deals = await sql<{ catalogue: string; buyer: string; organization: string }[]>`
      select c.id as catalogue, b.id as buyer, b.organization from catalogues c
      join parties s on s.id = c.seller_id join parties b on b.organization = s.registered_by
      where c.status = 'ACTIVE' order by md5(c.id::text) limit 12`
    return requestsOf('AdministrativeClerk', deals, ({ catalogue, buyer }, deal) => ({
      method: 'POST',
      path: '/ssl-catalogue/v1/catalogue-items',
      body: JSON.stringify(
        Array.from({ length: 500 }, (_, at) => itemOf(catalogue, buyer, at, `B-#-${deal}-${at}`))
      ),
      contains: `-${deal}-499`
    }))
  },
  async reset(sql) {
    const since = new Date('2026-01-01')
    await sql`delete from annotations where created_at > ${since}`
    await sql`
      delete from item_identifiers using catalogue_items i where item_id = i.id and i.created_at > ${since}`
    await sql`delete from catalogue_items where created_at > ${since}`
    await sql`vacuum analyze annotations, item_identifiers, catalogue_items`
    await sql`checkpoint`
  }
}

const terminology = createTerminology({ base: 'https://valuesets.example/vs', platformPrefix: 'ehealth' })

const itemOf = (catalogue: string, buyer: string, at: number, value: string) => ({
  catalogueItemType: 'DeviceModel',
  identifiers: [{ system: 'urn:oid:1.2.208.999.3', value, assigner: 'Leverandør' }],
  catalogue: `${publicUrl}/ssl-catalogue/v1/catalogue/${catalogue}`,
  name: `Blodtryksmåler ${at * 17}`,
  description: 'Automatisk måler med Bluetooth og manchet 22-32 cm',
  status: 'AVAILABLE',
  manufacturer: 'Fjord Sensorik',
  model: `M-${at}`,
  version: '2',
  annotations: annotationNames.slice(0, 5).map((name) => {
    const { system, code } = cyclicElement(terminology.annotationSet(name).displayed, at)
    return { buyer: partyUrl(buyer), name, value: { system, code } }
  })
})
