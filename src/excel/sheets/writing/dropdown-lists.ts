import { partyLabels } from '../../../agreement/party-names.js'
import type { BuyerPart } from '../../../catalogue/bulk/buyer-parts.js'
import type { Actor } from '../../../platform/auth/actor.js'
import type { Ports } from '../../../ports.js'
import { formatCodedValue, formatCodes } from '../code-labels.js'
import type { ListName } from '../columns/columns.js'

/** The content of the sheet Codes. */
export interface DropdownLists {
  /** Entries of each drop-down list. */
  options: Readonly<Record<ListName, readonly string[]>>
  /** Lists that allow other values too. */
  extensible: ReadonlySet<ListName>
  /** The values of each annotation name: the label to choose, and `system|code`. */
  values: readonly { name: string; label: string; systemAndCode: string }[]
}

/**
 * The drop-down lists for the caller. Parties are listed by name, or by URL if the name is
 * ambiguous.
 * @param parts the buyers' parts that the workbook has.
 */
export async function dropdownListsForCaller(
  ports: Ports,
  actor: Actor,
  parts: ReadonlySet<BuyerPart>
): Promise<DropdownLists> {
  const { terminology } = ports
  const names = parts.has('annotations') ? terminology.annotationNames() : []
  const values = names.flatMap((name) =>
    terminology.choices(name).map((coding) => ({
      name,
      label: formatCodedValue(terminology, name, coding),
      systemAndCode: `${coding.system}|${coding.code}`
    }))
  )
  const partyNames = async (role: 'SELLER' | 'BUYER', own: boolean) => [
    ...(await partyLabels(ports, actor, role, own)).values()
  ]
  return {
    options: {
      'catalogue-status': formatCodes(terminology, 'catalogue-status'),
      'catalogue-item-status': formatCodes(terminology, 'catalogue-item-status'),
      'service-type': formatCodes(terminology, 'service-type'),
      seller: await partyNames('SELLER', actor.userType === 'Provider'),
      buyer: parts.size > 0 ? await partyNames('BUYER', true) : [],
      'annotation-name': names,
      'annotation-value': [...new Set(values.map(({ label }) => label))]
    },
    extensible: new Set<ListName>(['seller', 'buyer', 'annotation-name', 'annotation-value']),
    values
  }
}
