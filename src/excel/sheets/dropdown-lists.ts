import { partyLabels } from '../../agreement/party-names.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { Ports } from '../../ports.js'
import { formatCodedValue, formatCodes } from './code-labels.js'
import type { ListName } from './columns.js'

/** What the sheet of codes holds. */
export interface DropdownLists {
  /** What each drop-down list offers. */
  drop: Readonly<Record<ListName, readonly string[]>>
  /** Lists beside whose entries others may be written. */
  open: ReadonlySet<ListName>
  /** Which values a name of an annotation has: how it may be chosen, and what it is in full. */
  values: readonly { name: string; shown: string; full: string }[]
}

/**
 * What can be chosen in a workbook of the caller's: parties by their names, and by their URLs where several have the name.
 * @param isAnnotator whether the workbook has annotations.
 */
export async function dropdownListsFor(
  ports: Ports,
  actor: Actor,
  isAnnotator: boolean
): Promise<DropdownLists> {
  const { terminology } = ports
  const names = isAnnotator ? terminology.annotationNames() : []
  const values = names.flatMap((name) =>
    terminology.choices(name).map((coding) => ({
      name,
      shown: formatCodedValue(terminology, name, coding),
      full: `${coding.system}|${coding.code}`
    }))
  )
  const called = async (role: 'SELLER' | 'BUYER', own: boolean) => [
    ...(await partyLabels(ports, actor, role, own)).values()
  ]
  return {
    drop: {
      'catalogue-status': formatCodes(terminology, 'catalogue-status'),
      'catalogue-item-status': formatCodes(terminology, 'catalogue-item-status'),
      'service-type': formatCodes(terminology, 'service-type'),
      seller: await called('SELLER', actor.userType === 'Provider'),
      buyer: isAnnotator ? await called('BUYER', true) : [],
      'annotation-name': names,
      'annotation-value': [...new Set(values.map(({ shown }) => shown))]
    },
    open: new Set<ListName>(['seller', 'buyer', 'annotation-name', 'annotation-value']),
    values
  }
}
