import { type TSchema, Type } from '@sinclair/typebox'
import { and, type Placeholder, type SQL } from 'drizzle-orm'
import { parseEach } from '../platform/errors/query-problem.js'
import type { ResourceUrls } from '../platform/urls/resource-urls.js'
import type { Terminology } from '../terminology/terminology.js'

/** The dependencies of filters when they parse parameters. */
export interface FilterPorts {
  resourceUrls: ResourceUrls
  terminology: Terminology
  /** IANA name of the time zone in which calendar days begin and end. */
  timeZone: string
  today(): string
}

/** Values of a condition, or the placeholders of a statement whose text is built once. */
export type FilterValues<P> = { readonly [K in keyof P]?: Placeholder | NonNullable<P[K]> | undefined }

/**
 * A query parameter that narrows a list: its schema, its parser, and its condition. `G` is the type
 * of the sent value, `P` the parameters of the statement.
 */
export interface Filter<G extends object, P extends object> {
  name: string
  schema: TSchema
  /**
   * Parses the sent value. Undefined when no row can match.
   * @throws Problem `invalid-query`.
   */
  parse(ports: FilterPorts, given: G): P | undefined
  /**
   * Undefined if the filter is not set, or if the statement uses its parameters without a
   * condition.
   */
  where(values: FilterValues<P>): SQL | undefined
}

/** A filter with one parameter, of the same name. */
export const filter = <N extends string, G, V>(
  name: N,
  schema: TSchema,
  parse: (ports: FilterPorts, sent: G) => V | undefined,
  where?: (value: Placeholder | NonNullable<V>) => SQL | undefined
): Filter<{ [K in N]?: G }, { [K in N]: V | undefined }> => ({
  name,
  schema: Type.Optional(schema),
  parse(ports, given) {
    const sent = given[name]
    const value = sent === undefined ? undefined : parse(ports, sent)
    if (sent !== undefined && value === undefined) return undefined
    return { [name]: value } as { [K in N]: V | undefined }
  },
  where(values) {
    const value = values[name]
    return value === undefined ? undefined : where?.(value)
  }
})

type AnyFilter = Filter<object, object>
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void
  ? { [K in keyof I]: I[K] }
  : never

/** The values that callers send for a filter, or for the filters of a list. */
export type Given<F extends Pick<AnyFilter, 'parse'>> = Parameters<F['parse']>[1]

/** The parameters of a statement. */
export type Params<F extends Pick<AnyFilter, 'parse'>> = NonNullable<ReturnType<F['parse']>>

/** The filters of a list, in the order in which they are documented. */
export function listFilters<const F extends readonly AnyFilter[]>(...filters: F) {
  type G = Intersection<Given<F[number]>>
  type P = Intersection<Params<F[number]>>
  return {
    schemas: Object.fromEntries(filters.map(({ name, schema }) => [name, schema])),
    /** See {@link Filter.parse}. */
    parse(ports: FilterPorts, given: G): P | undefined {
      const params = parseEach(filters, (each) => each.parse(ports, given))
      return params.includes(undefined) ? undefined : Object.assign({}, ...params)
    },
    where: (values: FilterValues<P>): SQL | undefined => and(...filters.map((each) => each.where(values)))
  }
}
