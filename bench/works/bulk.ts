import { createTerminology, type Terminology } from '../../src/terminology/terminology.js'
import { type Random, seeded } from '../year/random.js'
import { yearEnds } from '../year/size.js'
import { callersOf, catalogueUrl, partyUrl, type Work } from './work.js'

const names = [
  ...['ehealth/device-type', 'ehealth/device-measurement-type', 'ehealth/device-measurement-unit'],
  ...['ehealth/device-calibration-type', 'ehealth/device-metric-category']
]

/** Different bodies; the mark `#` in each becomes the number of the request, so that no identifier comes twice. */
const bodies = 12

/** Five hundred items at once, each with five annotations. */
export const bulk: Work = {
  name: 'w4',
  title: '500 items with 5 annotations each',
  status: 201,
  least: 100_000,
  warmUp: 40,
  async prepare(sql, seed) {
    // A clerk adds to catalogues of sellers that its organization has a contract with.
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
        holds: `-${body}-499`
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
