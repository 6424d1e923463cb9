import type { LocalValueSet } from '../../src/terminology/local-value-sets.js'
import { createTerminology } from '../../src/terminology/terminology.js'

/** SQL expressions for the parts of a response. */

const valueSets = 'https://valuesets.example/vs'
export const terminology = createTerminology({ base: valueSets, platformPrefix: 'ehealth' })
export const publicUrl = process.env.PUBLIC_URL ?? ''

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** The coding of a code, from constants. */
export function coding(column: string, set: LocalValueSet): string {
  const cases = terminology
    .codes(set)
    .map((code) => `when ${quoted(code)} then ${quoted(JSON.stringify(terminology.coding(set, code)))}::json`)
  return `case ${column} ${cases.join(' ')} end`
}

/** The URL of a resource by id. */
export const url = (path: string, id: string) => `${quoted(`${publicUrl}/${path}/`)} || ${id}`

/** A timestamp in ISO 8601. */
export const moment = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The system of a coding; own systems are stored without the base. */
export const shownSystem = (column: string) =>
  `case when ${column} like '~/%' then ${quoted(valueSets)} || substr(${column}, 2) else ${column} end`
