import { type TSchema, Type } from '@sinclair/typebox'
import { problem } from '../errors/problem.js'
import { RawJson } from '../json/raw-json.js'
import type { PageWithRows } from './pagination.js'
import type { ResourceType, ResourceUrls } from './resource-urls.js'
import { type ResourceName, withArticle } from './route-config.js'

/** A query parameter with the kinds of resources to include. */
export const expandParameter = (kinds: readonly string[]) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 255, 'x-document': { type: 'string', enum: kinds } }), {
      maxItems: 20,
      description: `Resources to include: ${kinds.map((kind) => `\`${kind}\``).join(', ')}, repeated or separated by commas. The response has them in \`expanded\`, by their URLs; that of a list is then an object with \`entries\` and \`expanded\`.`,
      collectionFormat: 'multi'
    })
  )

/** Resources by their URLs. */
export const Expanded = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: { type: 'object' },
  description:
    'Only with `expand`: the resources by their URLs, those that the caller may read, each as it is read by its id.'
})

/** The form of a list with `expand`. */
export const expandedList = ({ type, noun }: ResourceName, entry: TSchema) =>
  Type.Object(
    {
      entries: Type.Array(entry, { description: `A page of the list, each entry ${withArticle(noun)}.` }),
      expanded: Expanded
    },
    { title: `Expanded${type}List`, description: 'The form of the list with `expand`.' }
  )

/**
 * The kinds of resources to include; undefined if none were requested.
 * @throws Problem `invalid-query`.
 */
export function parseExpand<N extends string>(
  texts: readonly string[] | undefined,
  known: readonly N[]
): readonly N[] | undefined {
  const names = texts?.flatMap((text) => text.split(',')).map((text) => text.trim()) as N[] | undefined
  if (names?.some((name) => !known.includes(name)))
    throw problem('invalid-query', `Query parameter expand must be one of ${known.join(', ')}.`)
  return names && [...new Set(names)]
}

/** Resources of one type that a response includes. */
export interface ExpandedKind {
  type: ResourceType
  /** Loads those that the caller may read, each as the caller reads it by its id. */
  load: () => Promise<readonly { id: string }[]>
}

/** Loads the resources of several types, as a JSON object by their URLs. */
export async function loadExpanded(
  resourceUrls: ResourceUrls,
  kinds: readonly ExpandedKind[]
): Promise<RawJson> {
  const loaded = await Promise.all(
    kinds.map(async ({ type, load }) =>
      (await load()).map((resource) => [resourceUrls.url(type, resource.id), resource] as const)
    )
  )
  return new RawJson(Buffer.from(JSON.stringify(Object.fromEntries(loaded.flat()))))
}

/**
 * Adds resources to a page. The page ends earlier where they would exceed its maximum bytes: it is
 * halved until they fit, or one entry is left.
 * @param firstOf makes the page of the first entries.
 * @param expand loads the resources that the entries of a page refer to. Undefined when they are
 * too many, which those of one entry never are.
 */
export async function withExpanded<R, K>(
  page: PageWithRows<R, K>,
  bytes: number,
  firstOf: (limit: number) => PageWithRows<R, K>,
  expand: (rows: readonly R[]) => Promise<RawJson | undefined>
): Promise<PageWithRows<R, K>> {
  for (let part = page; ; part = firstOf(Math.ceil(part.rows.length / 2))) {
    const expanded = await expand(part.rows)
    const lengths = [expanded, ...part.entries].map((each) => ','.length + (each?.json.length ?? 0))
    const size = lengths.reduce((sum, length) => sum + length, OVERHEAD)
    if (expanded && (part.rows.length <= 1 || size <= bytes)) return { ...part, expanded }
  }
}

/** Bytes of the object around entries and resources. */
const OVERHEAD = '{"entries":[],"expanded":}'.length
