import { isDeepStrictEqual } from 'node:util'
import type { OmittedColumns } from '../../catalogue/content/catalogue-content.js'
import type { Identifier } from '../../platform/schemas/schemas.js'
import { identifierValueKey } from '../../platform/text/numbers.js'
import { filledIdentifierColumns } from '../sheets/reading/read-row.js'
import type { SheetRow } from '../sheets/reading/sheet-rows.js'

interface WithIdentifiers {
  identifiers: Identifier[]
}

/**
 * Places the identifiers of a changed row in their columns of the sheet: new identifiers at the
 * column of the row, former identifiers at the column of an export. Without a change of
 * identifiers, both lists are empty.
 * @param sent as it was read from the row.
 */
export function placeIdentifiers<T extends WithIdentifiers>(
  { before, after }: { before: T | undefined; after: T },
  sent: WithIdentifiers & Pick<OmittedColumns, 'identifierColumnCount'>,
  row: SheetRow
): [before: T | undefined, after: T] {
  if (before && isDeepStrictEqual(before.identifiers, after.identifiers))
    return [
      { ...before, identifiers: [] },
      { ...after, identifiers: [] }
    ]
  const shown: Identifier[] = []
  for (const [nth, column] of filledIdentifierColumns(row).entries()) {
    const identifier = findEqual(after.identifiers, sent.identifiers[nth])
    if (identifier) shown[column] = identifier
  }
  const next = { ...after, identifiers: shown }
  if (!before || before.identifiers.length <= sent.identifierColumnCount) return [before, next]
  // The sheet lacks columns, so its identifiers differ from those of an export.
  const former: Identifier[] = []
  for (let column = 0; column < sent.identifierColumnCount; column++) {
    const own = before.identifiers[column]
    const found = findEqual(before.identifiers, shown[column]) ?? own
    if (found && (shown[column] || !findEqual(after.identifiers, own))) former[column] = found
  }
  return [{ ...before, identifiers: former }, next]
}

const findEqual = (identifiers: readonly Identifier[], wanted: Identifier | undefined) =>
  wanted && identifiers.find((each) => isEqual(each, wanted))

const isEqual = (one: Identifier, other: Identifier): boolean =>
  one.system === other.system && identifierValueKey(one.value) === identifierValueKey(other.value)
