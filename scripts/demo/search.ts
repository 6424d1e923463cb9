import type { CatalogueItem } from '../../src/catalogue/item/item.schemas.js'
import type { Parties } from './agreements.js'
import { blackList, wanted } from './catalogue-data.js'
import { parties, people, receivers } from './data.js'
import { heading, tell } from './print.js'
import { catalogueApi, type Stage } from './stage.js'

/** A nurse looks for items by two annotations: what her organization can order, and what it can order for the patient. */
export async function search(stage: Stage, addresses: Parties): Promise<void> {
  const nurse = stage.as('MonitoringResponsible', 'region')
  const { name, patient } = receivers[blackList.patient]
  heading(
    'Item search',
    `${people.region.MonitoringResponsible} looks for items with both annotations: ${wanted.means}`
  )
  const find = async (more: Record<string, string>) => {
    const query = new URLSearchParams({ buyer: addresses.region, ...more })
    for (const each of wanted.annotations)
      query.append('annotation', `${each.name}:${each.value.system}|${each.value.code}`)
    const items = await nurse.get<CatalogueItem[]>(`${catalogueApi}/catalogue-items?${query}`)
    return items.map((each) => each.name).join(', ') || 'nothing'
  }
  for (const { name, value } of wanted.annotations)
    tell('', `annotation=${name}:${value.system}|${value.code}`)
  tell('found', `for ${parties.region.name}: ${await find({})}`)
  tell('found', `for ${parties.region.name} and ${name}: ${await find({ patient })}`)
}
