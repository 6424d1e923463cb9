import { fill } from '../errors/language.js'
import { queryProblem } from '../errors/query-problem.js'
import { platformTexts } from '../errors/texts.js'
import { isId, type ResourceType, type ResourceUrls, withoutTrailingSlash } from './resource-urls.js'

/*
 * The two forms of the URLs of an API: path addressing, `<origin>/<API>/v1`, and host addressing,
 * which puts the name of the API before the host.
 */

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
