import { type TSchema, Type } from '@sinclair/typebox'
import { mapYielding } from '../concurrency/map-yielding.js'
import { fill } from '../errors/language.js'
import { queryProblem } from '../errors/query-problem.js'
import { violationTexts } from '../json/texts.js'
import type { ResourceType, ResourceUrls } from '../urls/resource-urls.js'
import { firstEntries, type PageWithRows } from './pagination.js'
import { type ResourceName, withArticle } from './route-config.js'

/** A query parameter with the types of resources to include. */
export const expandParameter = (kinds: readonly string[]) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 255, 'x-document': { type: 'string', enum: kinds } }), {
      maxItems: 20,
      description: `Resources to include: ${kinds.map((kind) => `\`${kind}\``).join(', ')}, repeated or separated by commas. The response has them in \`expanded\`, by their URLs. The response of a list is then an object with \`entries\` and \`expanded\`.`,
      collectionFormat: 'multi'
    })
  )

export const Expanded = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: { type: 'object' },
  description:
    'Only with `expand`: the resources that the caller may read, by their URLs, each as in its own GET.'
})

/** The form of a list with `expand`. */
export const expandedListSchema = ({ type, noun }: ResourceName, entry: TSchema) =>
  Type.Object(
    {
      entries: Type.Array(entry, { description: `A page of the list, each entry ${withArticle(noun)}.` }),
      expanded: Expanded
    },
    { title: `Expanded${type}List`, description: 'The form of the list with `expand`.' }
  )

/** @throws Problem `invalid-query`. */
export function parseExpand<N extends string>(
  texts: readonly string[] | undefined,
  known: readonly N[]
): readonly N[] | undefined {
  const names = texts?.flatMap((text) => text.split(',')).map((text) => text.trim()) as N[] | undefined
  if (names?.some((name) => !known.includes(name)))
    throw queryProblem('expand', fill(violationTexts.oneOf, { values: known.join(', ') }))
  return names && [...new Set(names)]
}

/** Resources of one type that a response includes. */
export interface ExpandedKind<R> {
  type: ResourceType
  /** Loads the resources that the caller may read, each as in its own GET. */
  load: () => Promise<readonly { id: string }[]>
  /** Ids of the resources to which an entry of the response refers. */
  idsOf: (entry: R) => readonly string[]
}

/** Members of a JSON object, by the ids of the resources. */
type Members = ReadonlyMap<string, string>

/**
 * Loads the resources that an entry refers to, as a JSON object by their URLs. They have the
 * sequence of the references, so that equal responses have equal tags.
 */
export async function loadExpanded<R>(
  resourceUrls: ResourceUrls,
  entry: R,
  kinds: readonly ExpandedKind<R>[]
): Promise<string> {
  const loaded = await loadMembers(resourceUrls, kinds)
  return objectOf([...new Set(membersOf(entry, kinds, loaded))])
}

const membersOf = <R>(entry: R, kinds: readonly ExpandedKind<R>[], loaded: readonly Members[]) =>
  kinds
    .flatMap(({ idsOf }, kind) => idsOf(entry).map((id) => loaded[kind]?.get(id)))
    .filter((member) => member !== undefined)

const loadMembers = <R>(resourceUrls: ResourceUrls, kinds: readonly ExpandedKind<R>[]): Promise<Members[]> =>
  Promise.all(
    kinds.map(async ({ type, load }) => {
      const members = await mapYielding(await load(), (resource) => {
        const name = JSON.stringify(resourceUrls.url(type, resource.id))
        return [resource.id, `${name}:${JSON.stringify(resource)}`] as const
      })
      return new Map(members)
    })
  )

const objectOf = (members: readonly string[]) => `{${members.join(',')}}`

/**
 * Adds resources to a page. The page ends earlier if they would exceed its maximum bytes, but has
 * at least one entry.
 * @param keyOf makes the key after which a page continues.
 */
export async function withExpanded<R, K>(
  resourceUrls: ResourceUrls,
  page: PageWithRows<R, K>,
  keyOf: (row: R) => K,
  bytes: number,
  kinds: readonly ExpandedKind<R>[]
): Promise<PageWithRows<R, K>> {
  const loaded = await loadMembers(resourceUrls, kinds)
  const included = new Set<string>()
  let size = OVERHEAD
  let shown = 0
  for (const [at, row] of page.rows.entries()) {
    const members = membersOf(row, kinds, loaded)
    const added = new Set(members.filter((member) => !included.has(member)))
    for (const json of [page.entries[at] ?? '', ...added]) size += ','.length + Buffer.byteLength(json)
    if (shown > 0 && size > bytes) break
    for (const member of added) included.add(member)
    shown++
  }
  return { ...firstEntries(page, shown, keyOf), expanded: objectOf([...included]) }
}

/** Bytes of the object around entries and resources. */
const OVERHEAD = '{"entries":[],"expanded":{}}'.length
