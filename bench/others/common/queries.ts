import { storedSystem } from './codings.js'
import { idOf } from './references.js'
import { settings } from './settings.js'

type Query = Readonly<Record<string, unknown>>

/** What an item search asks for. */
export function itemQuery(query: Query) {
  const annotations = [query.annotation ?? []].flat().map(String).map(annotationFilter)
  return {
    ...pageQuery(query),
    buyerId: idOf(String(query.buyer)),
    patient: String(query.patient),
    annotations
  }
}

/** What a list of a seller's orders asks for. */
export const orderQuery = (query: Query) => ({
  ...pageQuery(query),
  sellerId: idOf(String(query.seller)),
  status: String(query.status)
})

export type ItemQuery = ReturnType<typeof itemQuery>
export type OrderQuery = ReturnType<typeof orderQuery>

const pageQuery = ({ limit, after }: Query) => ({
  limit: Number(limit ?? settings.pageLimit),
  after: typeof after === 'string' ? after : undefined
})

/** `<name>:<system>|<code>`; a name holds no colon, although systems hold some. */
function annotationFilter(text: string) {
  const [colon, bar] = [text.indexOf(':'), text.lastIndexOf('|')]
  return {
    name: text.slice(0, colon),
    system: storedSystem(text.slice(colon + 1, bar)),
    code: text.slice(bar + 1)
  }
}

/** The rows of a page out of those that were read, one more than it holds where a further page follows. */
export const pageOf = <T extends { id: string }>(rows: readonly T[], limit: number) => ({
  rows: rows.slice(0, limit),
  next: rows.length > limit ? rows[limit - 1]?.id : undefined
})

/** The `Link` header that leads to the page after this id. */
export function linkTo(url: string, query: Query, after: string): string {
  const wanted = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, after }))
    for (const each of [value].flat()) wanted.append(name, String(each))
  return `<${url}?${wanted}>; rel="next"`
}

const days = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Copenhagen', dateStyle: 'short' })

/** The date that contracts must be in force on, yyyy-mm-dd. */
export const today = () => days.format(new Date())
