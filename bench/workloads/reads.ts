import { cyclicElement, partyUrl, requestsOf, type Workload } from './workload.js'

/** Details of random orders, read by their buyers. */
export const detailsWorkload: Workload = {
  name: 'w1',
  title: 'order details',
  status: 200,
  minBytes: 500,
  warmUp: 6000,
  async prepare(sql) {
    const rows = await sql<{ id: string; organization: string }[]>`
      select o.id, p.organization from orders o join parties p on p.id = o.buyer_id
      order by md5(o.id::text) limit 20000`
    return requestsOf('MonitoringResponsible', rows, ({ id }) => ({
      method: 'GET',
      path: `/ssl-order/v1/order/${id}/details`,
      contains: id
    }))
  }
}

/** Up to fifty items that a buyer can order for a patient, with two annotations. */
export const searchWorkload: Workload = {
  name: 'w2',
  title: 'item search',
  status: 200,
  minBytes: 1000,
  warmUp: 3000,
  async prepare(sql) {
    const pairs = await sql<Record<'buyer' | 'organization' | 'first' | 'second' | 'code', string>[]>`
      select * from (
        select a.buyer_id as buyer, p.organization, a.system || '|' || a.code as first,
          b.system || '|' || b.code as second, b.code
        from annotations a
        join annotations b on b.item_id = a.item_id and b.buyer_id = a.buyer_id
          and b.name = 'ehealth/device-measurement-type'
        join parties p on p.id = a.buyer_id
        join catalogue_items i on i.id = a.item_id and i.status = 'AVAILABLE'
        join catalogues c on c.id = i.catalogue_id and c.status = 'ACTIVE'
        where a.name = 'ehealth/device-type'
        group by 1, 2, 3, 4, 5 having count(*) >= 20
      ) pairs order by md5(concat(buyer, first, second)) limit 3000`
    const patients = await sql<{ patient: string }[]>`
      select patient from black_list_entries order by md5(id::text) limit 3000`
    const rows = Array.from({ length: 3000 }, (_, at) => cyclicElement(pairs, at))
    return requestsOf('MonitoringResponsible', rows, ({ buyer, first, second, code }, at) => {
      const query = new URLSearchParams([
        ['buyer', partyUrl(buyer)],
        ['patient', cyclicElement(patients, at).patient],
        ['annotation', `ehealth/device-type:${first}`],
        ['annotation', `ehealth/device-measurement-type:${second}`],
        ['limit', '50']
      ])
      return { method: 'GET', path: `/ssl-catalogue/v1/catalogue-items?${query}`, contains: code }
    })
  }
}

/** The hundred newest orders that wait for a provider. */
export const listWorkload: Workload = {
  name: 'w5',
  title: 'submitted orders of a provider',
  status: 200,
  minBytes: 50_000,
  warmUp: 2000,
  async prepare(sql) {
    const rows = await sql<{ seller: string; organization: string }[]>`
      select o.seller_id as seller, p.organization from orders o join parties p on p.id = o.seller_id
      where o.status = 'SUBMITTED' group by 1, 2 having count(*) >= 100 order by md5(o.seller_id::text)`
    return requestsOf('Provider', rows, ({ seller }) => {
      const query = new URLSearchParams({ seller: partyUrl(seller), status: 'SUBMITTED', limit: '100' })
      return { method: 'GET', path: `/ssl-order/v1/orders?${query}`, contains: 'SUBMITTED' }
    })
  }
}
