import { type TSchema, Type } from '@sinclair/typebox'
import { and, type SQL, sql } from 'drizzle-orm'
import { itemResource } from '../catalogue/resources.js'
import { catalogueItems } from '../catalogue/tables.js'
import { textArray } from '../db/sql/conditions.js'
import { filter, listFilters, type Params } from '../filters/filter.js'
import { byCodes, byReferences, byWords, repeatedText } from '../filters/kinds.js'
import { filterTexts } from '../filters/texts.js'
import { queryProblem } from '../platform/errors/query-problem.js'
import { violationTexts } from '../platform/json/texts.js'
import { gtinOf, identifierForms, normalizeNumber } from '../platform/text/numbers.js'
import { devices } from './tables.js'
import { ENTERED_IN_ERROR } from './use.js'

type NumberName = 'serialNumber' | 'lotNumber' | 'udi'

/**
 * The stored form of a number of a query. An empty number, such as that of an unset variable, would
 * find nothing, which could be mistaken for a recall without homes.
 * @throws Problem `invalid-query`.
 */
function searchedNumber(name: NumberName, sent: string): string {
  const number = normalizeNumber(sent)
  if (number === '') throw queryProblem(name, violationTexts.empty)
  return number
}

/** Numbers of a device. A function of PostgreSQL makes the keys that are compared. */
const byNumber = <N extends NumberName, S extends string | string[]>(
  name: N,
  schema: TSchema,
  key: 'number_key' | 'udi_key'
) =>
  filter(
    name,
    schema,
    (_ports, sent: S) => [sent].flat().map((each) => searchedNumber(name, each)),
    (numbers) => sql`${sql.raw(key)}(${devices[name]}) = any(array(
      select ${sql.raw(key)}(each) from unnest(${textArray(numbers)}) each))`
  )

const single = (description: string) => Type.String({ maxLength: 4000, description })

/**
 * The GTIN of the UDI of a device, of its model as it was delivered, or as it is now: a recall must
 * find each device. The parameter has the forms of the GTIN, including those of 14 digits.
 */
const byGtin = filter(
  'gtin',
  single('The GTIN of a delivered device, of 8, 12, 13 or 14 digits: of its UDI or of its model.'),
  (_ports, sent: string) => {
    const gtin = gtinOf(normalizeNumber(sent))
    if (gtin === undefined) throw queryProblem('gtin', filterTexts.gtin)
    return identifierForms(gtin)
  },
  (forms) => sql`(${devices.gtin} = any(${textArray(forms)}) or ${devices.otherGtins} && ${textArray(forms)}
    or ${devices.itemId} = any(array(
      select ${catalogueItems.id} from ${catalogueItems} where ${catalogueItems.identifiers} @> any(array(
        select jsonb_build_array(jsonb_build_object('value', form)) from unnest(${textArray(forms)}) form)))))`
)

/** The filters of a list of order lines by the devices that they delivered. */
export const deviceFilters = listFilters(
  filter(
    'inUse',
    Type.Boolean({
      description:
        'Lines that delivered a device, by whether the device is in use. `false`: its use has ended.'
    }),
    (_ports, sent: boolean) => sent,
    (inUse) => sql`(${devices.until} is null) = ${inUse}`
  ),
  byReferences('deviceItem', itemResource, 'URL of the device model of a delivered device.', devices.itemId),
  byNumber<'serialNumber', string>(
    'serialNumber',
    single('The serial number of a delivered device. Case and spaces are ignored.'),
    'number_key'
  ),
  byNumber<'lotNumber', string[]>(
    'lotNumber',
    repeatedText('The lot number of a delivered device. Case and spaces are ignored.'),
    'number_key'
  ),
  byNumber<'udi', string>(
    'udi',
    single(
      'The unique device identifier of a delivered device. Case, spaces, separators, parentheses and the prefix of the scanner are ignored.'
    ),
    'udi_key'
  ),
  byGtin,
  byWords('the serial number and the lot number of a delivered device', devices),
  byCodes(
    'endReason',
    'device-end-reason',
    'Code of the reason why the use of a delivered device ended. Only this filter finds ENTERED_IN_ERROR.',
    devices.endReason
  )
)
export type DeviceSearch = Params<typeof deviceFilters>

/**
 * SQL condition: a device matches a search. A device that was registered by mistake is found only
 * by its end reason. Undefined if the search has no filter of devices.
 */
export function matchesDevice(search: DeviceSearch): SQL | undefined {
  const condition = deviceFilters.where(search)
  const isReal = sql`${devices.endReason} is distinct from ${ENTERED_IN_ERROR}`
  return condition && search.endReason === undefined ? and(condition, isReal) : condition
}
