import type { ResourceType, ResourceUrls } from './resource-urls.js'

/** The rows behind references, by reference; each is looked at and loaded once, however often it occurs. */
export async function loadByUrl<R extends { id: string }>(
  resourceUrls: ResourceUrls,
  kind: ResourceType,
  urls: readonly string[],
  load: (ids: string[]) => PromiseLike<readonly R[]>
): Promise<Map<string, R>> {
  const ids = new Map([...new Set(urls)].flatMap((url) => entry(url, resourceUrls.id(kind, url))))
  if (ids.size === 0) return new Map()
  const rows = new Map((await load([...ids.values()])).map((row) => [row.id, row]))
  return new Map([...ids].flatMap(([url, id]) => entry(url, rows.get(id))))
}

const entry = <V>(url: string, value: V | undefined): [string, V][] =>
  value === undefined ? [] : [[url, value]]
