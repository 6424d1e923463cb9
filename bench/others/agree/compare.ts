import assert from 'node:assert/strict'
import { type Answer, pathOf, send, type Who } from './caller.js'
import { type Name, names, type Servers } from './servers.js'

const others = names.filter((name) => name !== 'product')

/** Asserts that all servers answer a GET with the same status and content, page by page, and answers the product's pages. */
export async function sameAnswers({ origin }: Servers, who: Who, path: string): Promise<Answer[]> {
  const pages = await pagesOf(origin('product'), who, path)
  for (const name of others) {
    const theirs = await pagesOf(origin(name), who, path)
    assert.deepEqual(theirs.map(shownOf), pages.map(shownOf), `${name}: GET ${path}`)
  }
  return pages
}

async function pagesOf(origin: string, who: Who, path: string): Promise<Answer[]> {
  const page = await send(origin, who, 'GET', path)
  return page.next === undefined ? [page] : [page, ...(await pagesOf(origin, who, pathOf(page.next)))]
}

/** Refusals are told differently by each; their status says enough. */
const shownOf = ({ status, text }: Answer) => ({ status, body: status < 300 ? JSON.parse(text) : undefined })

/** Asserts that what is made for each server comes out the same. */
export async function sameResults<T>(what: string, make: (name: Name) => Promise<T>): Promise<void> {
  const expected = await make('product')
  for (const name of others) assert.deepEqual(await make(name), expected, `${name}: ${what}`)
}

/** A JSON text with ids and times as no more than their places: what differs between two things that were made alike. */
export function alike(text: string, ...same: readonly string[]): unknown {
  const places = new Map<string, string>()
  const place = (id: string) => {
    if (same.some((each) => each.endsWith(id))) return id
    places.set(id, places.get(id) ?? `#${places.size}`)
    return places.get(id) ?? ''
  }
  return JSON.parse(
    inOrder(text)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'T')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, place)
  )
}

/** A JSON text with the members of each object in order of their names. */
const inOrder = (text: string): string =>
  JSON.stringify(JSON.parse(text), (_key, value) =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
  )
