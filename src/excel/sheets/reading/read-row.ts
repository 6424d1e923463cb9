import type {
  ContentItem,
  ItemReference,
  PartialAnnotation,
  PartialWhiteListEntry
} from '../../../catalogue/content/catalogue-content.js'
import { fieldsOf, itemColumns } from '../../../catalogue/item/item.fields.js'
import type { Identifier } from '../../../platform/schemas/schemas.js'
import { normalizeNumber } from '../../../platform/text/numbers.js'
import { parseCodedValue } from '../code-labels.js'
import { addFault, type LocatedRow, type RowContext, readCode, readRequired, readText } from './row-fields.js'
import type { SheetRow } from './sheet-rows.js'

/**
 * Reads the catalogue itself. The status defaults to DRAFT. An empty name is checked on import,
 * against the stored one.
 */
export function readCatalogue(context: RowContext, located: LocatedRow) {
  return {
    ...located.sheet.omitted,
    identifiers: identifiers(context, located),
    name: readText(context, located, 'name') ?? '',
    seller: readRequired(context, located, 'seller') ?? '',
    status: readCode(context, located, 'status', 'catalogue-status') ?? 'DRAFT'
  }
}

/** Reads a device or a service. Required texts are checked on import, against the stored item. */
export function readItem(context: RowContext, located: LocatedRow, type: ContentItem['type']): ContentItem {
  const isService = type === 'Service'
  const member = (key: string) => readText(context, located, key)
  return {
    ...located.sheet.omitted,
    type,
    identifiers: identifiers(context, located),
    name: member('name') ?? '',
    status: readCode(context, located, 'status', 'catalogue-item-status') ?? 'AVAILABLE',
    manufacturer: isService ? null : (member('manufacturer') ?? ''),
    model: isService ? null : (member('model') ?? ''),
    ...itemColumns((_, name) => (name in fieldsOf(type) ? member(name) : null)),
    serviceType: isService ? readCode(context, located, 'serviceType', 'service-type', readRequired) : null,
    relatedTo: isService ? itemName(context, located, 'relatedTo') : null
  }
}

const MAX_ANNOTATION_NAME_CHARACTERS = 255

/** Reads an annotation. Missing and invalid members are undefined. */
export function readAnnotation(context: RowContext, located: LocatedRow): PartialAnnotation {
  const item = itemName(context, located, 'item')
  if (!item && !located.row.texts.has('item/system')) readRequired(context, located, 'item/value')
  const buyer = readRequired(context, located, 'buyer')
  const name = readRequired(context, located, 'name', MAX_ANNOTATION_NAME_CHARACTERS)
  if (name !== undefined && /[|:\n\t]/.test(name)) addFault(context, located, 'name', 'invalid-name')
  const found = readRequired(context, located, 'value')
  const value = found === undefined ? undefined : parseCodedValue(context.terminology, name ?? '', found)
  if (found !== undefined && name !== undefined && !value)
    addFault(context, located, 'value', 'unknown-coding.annotation')
  return { item: item ?? undefined, buyer, name, value }
}

/** Reads an entry of a white list. Missing members are undefined. */
export function readWhiteListEntry(context: RowContext, located: LocatedRow): PartialWhiteListEntry {
  const item = itemName(context, located, 'item')
  if (!item && !located.row.texts.has('item/system')) readRequired(context, located, 'item/value')
  return { item: item ?? undefined, buyer: readRequired(context, located, 'buyer') }
}

/** Reads a part of an identifier, in the form in which identifiers are stored. */
function readNumber(context: RowContext, located: LocatedRow, key: string): string | null {
  const text = readText(context, located, key)
  return text === null ? null : normalizeNumber(text)
}

function itemName(context: RowContext, located: LocatedRow, member: string): ItemReference | null {
  const system = readNumber(context, located, `${member}/system`)
  const value = readNumber(context, located, `${member}/value`)
  if (system !== null && value === null)
    addFault(context, located, `${member}/value`, 'text-required.identifier')
  return value === null ? null : { system, value }
}

export const filledIdentifierColumns = ({ texts }: SheetRow): number[] =>
  [
    ...new Set([...texts.keys()].flatMap((key) => /^identifiers\/(\d+)\//.exec(key)?.[1] ?? []).map(Number))
  ].sort((one, other) => one - other)

/** Missing systems and values are checked on import, against the stored identifiers. */
const identifiers = (context: RowContext, located: LocatedRow): Identifier[] =>
  filledIdentifierColumns(located.row).map((nth) => {
    const part = (name: string) => readNumber(context, located, `identifiers/${nth}/${name}`)
    const value = part('value')
    const system = part('system') ?? (value === null ? undefined : context.defaultSystem)
    const assigner = readText(context, located, `identifiers/${nth}/assigner`)
    return { system: system ?? '', value: value ?? '', assigner }
  })
