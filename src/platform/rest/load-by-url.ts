import type { ResourceType, ResourceUrls } from '../util/resource-urls.js'

/** Loads the rows of resource URLs. Each distinct URL is loaded once. */
export async function loadByUrl<R extends { id: string }>(
  resourceUrls: ResourceUrls,
  type: ResourceType,
  urls: readonly string[],
  load: (ids: string[]) => PromiseLike<readonly R[]>
): Promise<Map<string, R>> {
  const ids = new Map([...new Set(urls)].flatMap((url) => entry(url, resourceUrls.id(type, url))))
  if (ids.size === 0) return new Map()
  const rows = new Map((await load([...ids.values()])).map((row) => [row.id, row]))
  return new Map([...ids].flatMap(([url, id]) => entry(url, rows.get(id))))
}

const entry = <V>(url: string, value: V | undefined): [string, V][] =>
  value === undefined ? [] : [[url, value]]
