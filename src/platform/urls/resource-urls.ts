/** A type of resource: the API that serves it and its path segment in the API. */
export interface ResourceType {
  api: string
  path: string
}

/** Converts ids to fully qualified URLs and back. */
export interface ResourceUrls {
  /** The base URL of an API, without a trailing slash. */
  base(api: string): string
  url(type: ResourceType, id: string): string
  /** The id in a URL of this service, in path or host form. Undefined for any other text. */
  id(type: ResourceType, url: string): string | undefined
  /**
   * The id in a URL of a query parameter. Undefined if no such resource can exist.
   * @throws Problem `invalid-query` for a malformed URL, or a URL of this service for another type.
   */
  parseFilter(type: ResourceType, parameter: string, url: string): string | undefined
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text has the form of an id. A resource with any other id does not exist. */
export const isId = (text: string) => uuid.test(text)

/**
 * For an error: the form of the URLs of a type, if a text has another form: a bare id, or the URL
 * of another host.
 */
export const formUnlessIn = (resourceUrls: ResourceUrls, type: ResourceType, text: string): string =>
  resourceUrls.id(type, text) === undefined ? `: ${resourceUrls.url(type, '{id}')}` : ''

/** Removes one trailing slash. References are stored and compared in this form. */
export const withoutTrailingSlash = (url: string): string => url.replace(/(?<!\/)\/$/, '')

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
