import { problem } from '../errors/problem.js'

/** The address of a kind of resource: the API that serves it and its path segment there. */
export interface ResourceType {
  api: string
  path: string
}

/** Turns ids into fully qualified URLs, and such URLs back into ids. */
export interface ResourceUrls {
  /** The base address of an API, without a slash at its end. */
  base(api: string): string
  /** The canonical URL of a resource. */
  url(kind: ResourceType, id: string): string
  /** The id in a URL of ours, in path or host form; undefined for any other text. */
  id(kind: ResourceType, url: string): string | undefined
  /**
   * The same for a query parameter: undefined where nothing can be found by it.
   * @throws Problem `invalid-query` for what is no URL, or a URL of ours that leads elsewhere.
   */
  parseFilter(kind: ResourceType, parameter: string, url: string): string | undefined
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text has the form of an id; one that has not is an unknown id. */
export const isId = (text: string) => uuid.test(text)

/** A reference without the one slash that it may end with: references are stored and compared like this. */
export const withoutTrailingSlash = (url: string): string => url.replace(/(?<!\/)\/$/, '')

/** References under a public origin, and under former ones that stay valid for reading. */
export function createResourceUrls(options: {
  publicUrl: string
  addressing: 'path' | 'host'
  origins: readonly string[]
}): ResourceUrls {
  const base = (api: string) => baseUrl(options.publicUrl, options.addressing, api)
  const origins = [options.publicUrl, ...options.origins]
  const prefixes = new Map<string, string[]>()

  function prefixesOf({ api, path }: ResourceType): string[] {
    const name = `${api}/${path}`
    const made =
      prefixes.get(name) ??
      origins.flatMap((origin) => [
        `${baseUrl(origin, 'path', api)}/${path}/`,
        `${baseUrl(origin, 'host', api)}/${path}/`
      ])
    prefixes.set(name, made)
    return made
  }

  function rest(kind: ResourceType, url: string): string | undefined {
    const prefix = prefixesOf(kind).find((each) => url.startsWith(each))
    return prefix === undefined ? undefined : withoutTrailingSlash(url.slice(prefix.length))
  }

  /** In either form of addressing: the API's name may stand before the host. */
  function isOurs(url: string): boolean {
    const { origin, protocol, host } = new URL(url)
    return origins.some(
      (each) => origin === each || `${protocol}//${host.slice(host.indexOf('.') + 1)}` === each
    )
  }

  return {
    base,
    url: (kind, id) => `${base(kind.api)}/${kind.path}/${id}`,
    id(kind, url) {
      // What follows the prefix must be an id and nothing more, so no host, path or encoding trick gets through.
      const id = rest(kind, url)
      return id !== undefined && isId(id) ? id : undefined
    },
    parseFilter(kind, parameter, url) {
      const id = rest(kind, url)
      if (!/^https?:/.test(url) || !URL.canParse(url) || (id === undefined && isOurs(url)))
        throw problem(
          'invalid-query',
          `Query parameter ${parameter} must be the URL of such a resource: …/${kind.path}/{id}.`
        )
      return id !== undefined && isId(id) ? id : undefined
    }
  }
}

function baseUrl(origin: string, addressing: 'path' | 'host', api: string): string {
  return addressing === 'path' ? `${origin}/${api}/v1` : `${origin.replace('://', `://${api}.`)}/v1`
}

/**
 * Serves host-addressed requests (`https://ssl-order.…/v1/order`) by the routes of the path form: `Host` decides the API.
 * To be used as Fastify's `rewriteUrl`.
 */
export function hostToPath(apis: readonly string[]) {
  return (request: { url?: string | undefined; headers: { host?: string | undefined } }): string => {
    const url = request.url ?? '/'
    const api = apis.find((name) => request.headers.host?.toLowerCase().startsWith(`${name}.`))
    return api && /^\/v\d+(\/|$|\?)/.test(url) ? `/${api}${url}` : url
  }
}

/**
 * The ids that reference filters of a query ask for; undefined when one of them leads to nothing, so that nothing matches.
 * @throws Problem `invalid-query`, see {@link ResourceUrls.parseFilter}.
 */
export function parseFilterUrls<K extends string>(
  resourceUrls: ResourceUrls,
  filters: Readonly<Partial<Record<NoInfer<K>, string>>>,
  kinds: Readonly<Record<K, ResourceType>>
): Partial<Record<K, string>> | undefined {
  const ids: Partial<Record<K, string>> = {}
  let empty = false
  for (const name of Object.keys(kinds) as K[]) {
    const url = filters[name]
    if (url === undefined) continue
    const id = resourceUrls.parseFilter(kinds[name], name, url)
    if (id === undefined) empty = true
    else ids[name] = id
  }
  return empty ? undefined : ids
}
