import { fill } from '../errors/language.js'
import { queryProblem } from '../errors/query-problem.js'
import { platformTexts } from '../texts.js'
import { isId, type ResourceType, type ResourceUrls, withoutTrailingSlash } from './resource-urls.js'

/** One path segment. A list of URLs, for example, is none. */
const segment = /^[\w.~%-]+$/

/**
 * Makes the URLs of a public origin.
 * @param options.origins further origins, for example former ones, that are accepted on input.
 */
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
    const known =
      prefixes.get(name) ??
      origins.flatMap((origin) => [
        `${baseUrl(origin, 'path', api)}/${path}/`,
        `${baseUrl(origin, 'host', api)}/${path}/`
      ])
    prefixes.set(name, known)
    return known
  }

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
    url: (type, id) => `${base(type.api)}/${type.path}/${id}`,
    id(type, url) {
      // Only an id may follow the prefix, which stops host, path and encoding tricks.
      const id = afterPrefix(type, url)
      return id !== undefined && isId(id) ? id : undefined
    },
    parseFilter(type, parameter, url) {
      const id = afterPrefix(type, url)
      const isOne = /^https?:[^,]*$/.test(url) && URL.canParse(url)
      if (!isOne || (id === undefined ? isOwnOrigin(url) : !segment.test(id)))
        throw queryProblem(parameter, fill(platformTexts.resourceUrl, { form: `…/${type.path}/{id}` }))
      return id !== undefined && isId(id) ? id : undefined
    }
  }
}

function baseUrl(origin: string, addressing: 'path' | 'host', api: string): string {
  return addressing === 'path' ? `${origin}/${api}/v1` : `${origin.replace('://', `://${api}.`)}/v1`
}

/**
 * Makes Fastify's `rewriteUrl`. It maps host addressing (`https://ssl-order.…/v1/order`) to the
 * routes of path addressing by the `Host` header.
 */
export function rewriteHostAddressing(apis: readonly string[]) {
  return (request: { url?: string | undefined; headers: { host?: string | undefined } }): string => {
    const url = request.url ?? '/'
    const api = apis.find((name) => request.headers.host?.toLowerCase().startsWith(`${name}.`))
    return api && /^\/v\d+(\/|$|\?)/.test(url) ? `/${api}${url}` : url
  }
}
