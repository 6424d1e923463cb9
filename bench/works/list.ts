import { callersOf, partyUrl, type Work } from './work.js'

interface Listed {
  id: string
  name: string
  status: { code: string }
}

/** The hundred newest orders that a provider has to look at. */
export const list: Work = {
  name: 'w5',
  title: 'submitted orders of a provider',
  status: 200,
  least: 50_000,
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
      holds: 'SUBMITTED'
    }))
    return { requests, callers }
  },
  gist: (body) => (body as Listed[]).map(({ id, name, status }) => [id, name, status.code])
}
