import { seeded } from '../year/random.js'
import { callersOf, idIn, partyUrl, type Workload } from './workload.js'

interface Details {
  order: { id: string; status: { code: string }; receiver: { name: string } }
  orderLines: { id: string; item: string; status: { code: string } }[]
  traceLines: { id: string; timestamp: string; statusChange: { newStatus: { code: string } } | null }[]
}

/** Details of random orders, read by their buyers. */
export const details: Workload = {
  name: 'w1',
  title: 'order details',
  status: 200,
  minBytes: 500,
  warmUp: 6000,
  async prepare(sql, seed) {
    const rows = await sql`
      select o.id, p.organization from orders o join parties p on p.id = o.buyer_id
      order by md5(o.id::text || ${seed}::text) limit 20000`
    const { callers, tokenOf } = callersOf(
      'MonitoringResponsible',
      rows.map((row) => row.organization)
    )
    const requests = rows.map(({ id, organization }) => ({
      method: 'GET' as const,
      path: `/ssl-order/v1/order/${id}/details`,
      token: tokenOf(organization),
      contains: id
    }))
    return { requests, callers }
  },
  comparable(body) {
    const { order, orderLines, traceLines } = body as Details
    return {
      order: [order.id, order.status.code, order.receiver.name],
      lines: orderLines.map((line) => [line.id, idIn(line.item), line.status.code]),
      traces: traceLines.map((trace) => [
        trace.id,
        trace.timestamp,
        trace.statusChange?.newStatus.code ?? null
      ])
    }
  }
}

interface Found {
  id: string
  name: string
  annotations: { id: string; value: { code: string } }[]
}

/** Up to fifty items that a buyer can order for a patient, with two annotations. */
export const search: Workload = {
  name: 'w2',
  title: 'item search',
  status: 200,
  minBytes: 1000,
  warmUp: 3000,
  async prepare(sql, seed) {
    const pairs = await sql`
      select a.buyer_id, p.organization, a.system, a.code, b.system as system2, b.code as code2
      from annotations a
      join annotations b on b.item_id = a.item_id and b.buyer_id = a.buyer_id and b.name = 'ehealth/device-measurement-type'
      join parties p on p.id = a.buyer_id
      join catalogue_items i on i.id = a.item_id and i.status = 'AVAILABLE'
      join catalogues c on c.id = i.catalogue_id and c.status = 'ACTIVE'
      where a.name = 'ehealth/device-type'
      group by 1, 2, 3, 4, 5, 6 having count(*) >= 20
      order by md5(concat(a.buyer_id, a.code, b.system, b.code, ${seed}::int)) limit 3000`
    const random = seeded(seed)
    const patients = await sql`
      select patient from black_list_entries order by md5(id::text || ${seed}::text) limit 3000`
    const { callers, tokenOf } = callersOf(
      'MonitoringResponsible',
      pairs.map((row) => row.organization)
    )
    const requests = Array.from({ length: 3000 }, () => {
      const { buyer_id, organization, system, code, system2, code2 } = random.pick(pairs)
      const query = new URLSearchParams([
        ['buyer', partyUrl(buyer_id)],
        ['patient', random.pick(patients).patient],
        ['annotation', `ehealth/device-type:${system}|${code}`],
        ['annotation', `ehealth/device-measurement-type:${system2}|${code2}`],
        ['limit', '50']
      ])
      return {
        method: 'GET' as const,
        path: `/ssl-catalogue/v1/catalogue-items?${query}`,
        token: tokenOf(organization),
        contains: code2
      }
    })
    return { requests, callers }
  },
  comparable: (body) =>
    (body as Found[]).map(({ id, name, annotations }) => [
      id,
      name,
      annotations.map((each) => [each.id, each.value.code])
    ])
}

interface Listed {
  id: string
  name: string
  status: { code: string }
}

/** The hundred newest orders that wait for a provider. */
export const list: Workload = {
  name: 'w5',
  title: 'submitted orders of a provider',
  status: 200,
  minBytes: 50_000,
  warmUp: 2000,
  async prepare(sql, seed) {
    const rows = await sql`
      select o.seller_id, p.organization from orders o join parties p on p.id = o.seller_id
      where o.status = 'SUBMITTED' group by 1, 2 having count(*) >= 100
      order by md5(o.seller_id::text || ${seed}::text)`
    const { callers, tokenOf } = callersOf(
      'Provider',
      rows.map((row) => row.organization)
    )
    const requests = rows.map(({ seller_id, organization }) => ({
      method: 'GET' as const,
      path: `/ssl-order/v1/orders?${new URLSearchParams({ seller: partyUrl(seller_id), status: 'SUBMITTED', limit: '100' })}`,
      token: tokenOf(organization),
      contains: 'SUBMITTED'
    }))
    return { requests, callers }
  },
  comparable: (body) => (body as Listed[]).map(({ id, name, status }) => [id, name, status.code])
}
