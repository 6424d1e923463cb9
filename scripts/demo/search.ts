import type { Parties } from './agreements.js'
import { blackList, searchExample } from './catalogue-data.js'
import { parties, people, receivers } from './data.js'
import { heading, printEvent } from './print.js'
import type { Stage } from './stage.js'

/**
 * A nurse searches items by two annotations: those that her organization can order, and those that
 * it can order for a patient.
 */
export async function searchItems(stage: Stage, partyUrls: Parties): Promise<void> {
  const { catalogue } = stage.as('MonitoringResponsible', 'region')
  const { name, patient } = receivers[blackList.patient]
  heading(
    'Item search',
    `${people.region.MonitoringResponsible} searches items with both annotations: ${searchExample.description}`
  )
  const annotation = searchExample.annotations.map(
    (each) => `${each.name}:${each.value.system}|${each.value.code}`
  )
  const find = async (more: { patient?: string }) => {
    const items = await catalogue.listCatalogueItem({ buyer: partyUrls.region, annotation, ...more }).all()
    return items.map((each) => each.name).join(', ') || 'nothing'
  }
  for (const { name, value } of searchExample.annotations)
    printEvent('', `annotation=${name}:${value.system}|${value.code}`)
  printEvent('found', `for ${parties.region.name}: ${await find({})}`)
  printEvent('found', `for ${parties.region.name} and ${name}: ${await find({ patient })}`)
}
