import type { OrderLine } from '../../clients/typescript/src/index.js'
import { type ItemKey, nameOf } from './catalogue-data.js'
import type { Items } from './catalogues.js'
import { people, receivers } from './data.js'
import { heading, printEvent } from './print.js'
import { orderApi, type Stage } from './stage.js'

/** Prints the devices that a patient has at home, and those that were there. */
export async function printDevicesAtHome(stage: Stage, items: Items): Promise<void> {
  const { name, patient } = receivers.asta
  const { order: api } = stage.as('MonitoringResponsible', 'aarhus')
  heading(
    `What ${name} has at home`,
    `${people.aarhus.MonitoringResponsible}: GET ${orderApi}/order-lines?patient=…&inUse=true, then inUse=false`
  )
  for (const [inUse, word] of [
    [true, 'in use'],
    [false, 'ended']
  ] as const)
    for await (const { device } of api.listOrderLine({ patient, inUse }))
      if (device) printEvent(word, describe(device, items))
}

function describe(device: NonNullable<OrderLine['device']>, items: Items): string {
  const { item, serialNumber, until, endReason } = device
  const key = (Object.keys(items) as ItemKey[]).find((each) => items[each] === item)
  const end = until ? `, until ${until.slice(0, 10)}: ${endReason?.code}` : ''
  return `${key ? nameOf(key) : item}, serial number ${serialNumber}, from ${device.from.slice(0, 10)}${end}`
}
