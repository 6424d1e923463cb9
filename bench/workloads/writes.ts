import type { Sql } from 'postgres'
import { createTerminology, type Terminology } from '../../src/terminology/terminology.js'
import { type Random, seeded, yearEnds } from '../year/random.js'
import { callersOf, catalogueUrl, partyUrl, type Workload } from './workload.js'

const body = JSON.stringify([{ op: 'replace', path: '/status/code', value: 'ACCEPTED' }])

/** Providers accept orders, each once. */
export const accept: Workload = {
  name: 'w3',
  title: 'accept an order',
  status: 204,
  minBytes: 0,
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
      // The trace is append-only; only a superuser can disable its triggers.
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

/** Chooses orders in any status: a fraction of a year has too few that wait. */
async function markOrders(sql: Sql, seed: number): Promise<void> {
  await sql`create schema if not exists bench`
  await sql`drop table if exists bench.to_accept`
  await sql`
    create table bench.to_accept as
    select id, seller_id, revision, trace_count, changed_at from orders where submitted_at is not null
    order by md5(id::text || ${seed}::text) limit 15000`
  await sql`alter table bench.to_accept add primary key (id)`
}

const names = [
  ...['ehealth/device-type', 'ehealth/device-measurement-type', 'ehealth/device-measurement-unit'],
  ...['ehealth/device-calibration-type', 'ehealth/device-metric-category']
]

/** Bodies in which `#` is replaced by the number of the request, so that identifiers are unique. */
const bodies = 12

/** Bulk creates of five hundred items with five annotations each. */
export const bulk: Workload = {
  name: 'w4',
  title: '500 items with 5 annotations each',
  status: 201,
  minBytes: 100_000,
  warmUp: 40,
  async prepare(sql, seed) {
    // A clerk adds items to catalogues of sellers with a contract with its organization.
    const deals = await sql`
      select distinct c.id as catalogue, p.id as buyer, p.organization from catalogues c
      join contracts k on k.seller_id = c.seller_id and k.last_day >= current_date
      join contract_buyers b on b.contract_id = k.id
      join parties p on p.id = b.buyer_id
      where c.status = 'ACTIVE' order by c.id, p.id`
    const random = seeded(seed)
    const terminology = createTerminology({
      base: 'https://valuesets.example/vs',
      platformPrefix: 'ehealth'
    })
    const { callers, tokenOf } = callersOf('AdministrativeClerk', [
      ...new Set(deals.map((row) => row.organization))
    ])
    const requests = Array.from({ length: bodies }, (_, body) => {
      const deal = random.pick(deals)
      const [catalogue, owner] = [catalogueUrl(deal.catalogue), partyUrl(deal.buyer)]
      const items = Array.from({ length: 500 }, (_, at) =>
        itemOf(random, terminology, catalogue, owner, `B${seed}-#-${body}-${at}`)
      )
      return {
        method: 'POST' as const,
        path: '/ssl-catalogue/v1/catalogue-items',
        token: tokenOf(deal.organization),
        body: JSON.stringify(items),
        contains: `-${body}-499`
      }
    })
    return { requests, callers }
  },
  async reset(sql) {
    const since = new Date(yearEnds)
    await sql`delete from annotations where created_at > ${since}`
    await sql`delete from item_identifiers using catalogue_items i where item_id = i.id and i.created_at > ${since}`
    await sql`delete from catalogue_items where created_at > ${since}`
    await sql`vacuum analyze annotations, item_identifiers, catalogue_items`
    await sql`checkpoint`
  }
}

function itemOf(random: Random, terminology: Terminology, catalogue: string, buyer: string, value: string) {
  return {
    catalogueItemType: 'DeviceModel',
    identifiers: [{ system: 'urn:oid:1.2.208.999.3', value, assigner: 'Leverandør' }],
    catalogue,
    name: `Blodtryksmåler ${random.below(9000)}`,
    description: 'Automatisk måler med Bluetooth og manchet 22-32 cm',
    status: 'AVAILABLE',
    manufacturer: 'Fjord Sensorik',
    model: `M-${random.below(900)}`,
    version: '2',
    annotations: names.map((name) => {
      const { system, code } = random.pick(terminology.choices(name))
      return { buyer, name, value: { system, code } }
    })
  }
}
