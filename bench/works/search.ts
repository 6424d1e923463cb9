import { seeded } from '../year/random.js'
import { callersOf, partyUrl, type Work } from './work.js'

interface Found {
  id: string
  name: string
  annotations: { id: string; value: { code: string } }[]
}

/** Up to fifty items that a buyer can order for a patient and that have two annotations. */
export const search: Work = {
  name: 'w2',
  title: 'item search',
  status: 200,
  least: 1000,
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
        holds: code2
      }
    })
    return { requests, callers }
  },
  gist: (body) =>
    (body as Found[]).map(({ id, name, annotations }) => [
      id,
      name,
      annotations.map((each) => [each.id, each.value.code])
    ])
}
