import { fill } from '../errors/language.js'
import { queryProblem } from '../errors/query-problem.js'
import { platformTexts } from '../texts.js'

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

/** One path segment. A list of URLs, for example, is not a URL. */
const segment = /^[\w.~%-]+$/

/**
 * Makes the URLs of a public origin. Further origins, for example former ones, are accepted on
 * input.
 */
export function createResourceUrls(options: {
  publicUrl: string
  addressing: 'path' | 'host'
  origins: readonly string[]
}): ResourceUrls {
  const base = (api: string) => baseUrl(options.publicUrl, options.addressing, api)
  const origins = [options.publicUrl, ...options.origins]
  const addressings =
    options.addressing === 'path' ? (['path', 'host'] as const) : (['host', 'path'] as const)
  const prefixes = new Map<ResourceType, string[]>()

  /** The prefixes of the id in the URLs of a type. Responses use the first prefix. */
  function prefixesOf(type: ResourceType): string[] {
    const known =
      prefixes.get(type) ??
      origins.flatMap((origin) =>
        addressings.map((addressing) => `${baseUrl(origin, addressing, type.api)}/${type.path}/`)
      )
    prefixes.set(type, known)
    return known
  }

  const urlOf = (type: ResourceType, id: string) => prefixesOf(type)[0] + id

  function afterPrefix(type: ResourceType, url: string): string | undefined {
    const prefix = prefixesOf(type).find((each) => url.startsWith(each))
    return prefix === undefined ? undefined : withoutTrailingSlash(url.slice(prefix.length))
  }

  /** Host addressing puts the API name before the host. */
  function isOwnOrigin(url: string): boolean {
    const { origin, protocol, host } = new URL(url)
    return origins.some(
      (each) => origin === each || `${protocol}//${host.slice(host.indexOf('.') + 1)}` === each
    )
  }

  return {
    base,
    url: urlOf,
    id(type, url) {
      // Only an id may follow the prefix, which stops host, path and encoding tricks.
      const id = afterPrefix(type, url)
      return id !== undefined && isId(id) ? id : undefined
    },
    parseFilter(type, parameter, url) {
      const id = afterPrefix(type, url)
      const isOne = /^https?:[^,]*$/.test(url) && URL.canParse(url)
      if (!isOne || (id === undefined ? isOwnOrigin(url) : !segment.test(id)))
        throw queryProblem(parameter, fill(platformTexts.resourceUrl, { form: urlOf(type, '{id}') }))
      return id !== undefined && isId(id) ? id : undefined
    }
  }
}

function baseUrl(origin: string, addressing: 'path' | 'host', api: string): string {
  return addressing === 'path' ? `${origin}/${api}/v1` : `${origin.replace('://', `://${api}.`)}/v1`
}

/** Makes Fastify's `rewriteUrl`, which maps host addressing to the routes of path addressing. */
export function rewriteHostAddressing(apis: readonly string[]) {
  return (request: { url?: string | undefined; headers: { host?: string | undefined } }): string => {
    const url = request.url ?? '/'
    const api = apis.find((name) => request.headers.host?.toLowerCase().startsWith(`${name}.`))
    return api && /^\/v\d+(\/|$|\?)/.test(url) ? `/${api}${url}` : url
  }
}

export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host)
