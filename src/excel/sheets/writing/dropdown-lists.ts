import { partyLabels } from '../../../agreement/party-names.js'
import { isLimitedClerk } from '../../../agreement/visibility.js'
import type { BuyerPart } from '../../../catalogue/catalogue.access.js'
import type { Call } from '../../../platform/auth/call.js'
import type { Language } from '../../../platform/errors/language.js'
import type { Ports } from '../../../ports.js'
import { formatCode, formatCodedValue, formatCodes } from '../code-labels.js'
import type { ListName } from '../columns/columns.js'

/** The content of the sheet Codes. */
export interface DropdownLists {
  /** Entries of each drop-down list. */
  options: Readonly<Record<ListName, readonly string[]>>
  /** The entry of a list for a code of its value set; any other text is unchanged. */
  entryOf: (list: ListName, text: string) => string
  /** The values of each annotation name: the label to choose, and `system|code`. */
  values: readonly { name: string; label: string; systemAndCode: string }[]
}

const closedLists = ['catalogue-status', 'catalogue-item-status', 'service-type'] as const

/** Whether the list is of a closed value set. Lists of open value sets also allow other values. */
export const isClosedList = (list: ListName): list is (typeof closedLists)[number] =>
  (closedLists as readonly ListName[]).includes(list)

/**
 * The drop-down lists for the caller. Parties are listed by name, or by URL if the name is
 * ambiguous.
 * @param parts the buyers' parts that the workbook has.
 */
export async function dropdownListsForCaller(
  ports: Ports,
  call: Call,
  parts: ReadonlySet<BuyerPart>,
  language: Language
): Promise<DropdownLists> {
  const { terminology } = ports
  const names = parts.has('annotations') ? terminology.annotationNames() : []
  const values = names.flatMap((name) =>
    terminology.annotationSet(name).displayed.map((coding) => ({
      name,
      label: formatCodedValue(terminology, name, coding, language),
      systemAndCode: `${coding.system}|${coding.code}`
    }))
  )
  const partyNames = async (role: 'SELLER' | 'BUYER', scope?: 'own' | 'administered') => [
    ...(await partyLabels(ports, call, role, scope)).values()
  ]
  return {
    options: {
      'catalogue-status': formatCodes(terminology, 'catalogue-status', language),
      'catalogue-item-status': formatCodes(terminology, 'catalogue-item-status', language),
      'service-type': formatCodes(terminology, 'service-type', language),
      seller: await partyNames('SELLER', sellerScope(call)),
      buyer: parts.size > 0 ? await partyNames('BUYER', 'administered') : [],
      'annotation-name': names,
      'annotation-value': [...new Set(values.map(({ label }) => label))]
    },
    entryOf: (list, text) => (isClosedList(list) ? formatCode(terminology, list, text, language) : text),
    values
  }
}

/** The sellers of whose catalogues the caller imports workbooks. */
const sellerScope = (call: Call) =>
  call.caller.userType === 'Provider' ? 'own' : isLimitedClerk(call) ? 'administered' : undefined
