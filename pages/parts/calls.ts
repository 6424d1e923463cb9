import { NoResponseError, ProblemError, problemOf, SslClient } from '../../clients/typescript/src/index.js'
import { language } from './language.js'

/** The content of a `meta` element, which passes a value from the server to its page. */
export const metaContent = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''

/** The source of the tokens of requests. */
export interface TokenSource {
  /**
   * A token for a request.
   * @throws NoTokenError
   */
  token(): Promise<string>
  /** Discards a token that the server rejected, and requests another token if possible. */
  reject(token: string): void
  /** Settles as the work of a request does, but never after the page has another user. */
  guard?<T>(work: Promise<T>): Promise<T>
}

/** There is no token. The page shows how to get a token. */
export class NoTokenError extends Error {
  override readonly name = 'NoTokenError'
}

const guarded = <T>(source: TokenSource, work: Promise<T>): Promise<T> => source.guard?.(work) ?? work

/** Sends a request with a token, in the language of the page. Any status is a response. */
const sendWith =
  (source: TokenSource) =>
  async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const token = await source.token()
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    headers.set('accept-language', language.get())
    const options = { cache: 'no-store', credentials: 'omit', redirect: 'error' } as const
    const response = await guarded(source, fetch(url, { ...init, headers, ...options }))
    if (response.status === 401) source.reject(token)
    // A body that arrives after a change of user is dropped.
    for (const name of ['text', 'blob', 'json', 'arrayBuffer'] as const) {
      const read = response[name].bind(response) as () => Promise<unknown>
      Object.assign(response, { [name]: () => guarded(source, read()) })
    }
    return response
  }

/** The typed client of the APIs, with the tokens of a source. */
export const clientOf = (source: TokenSource): SslClient =>
  new SslClient({ origin: location.origin, token: () => source.token(), fetch: sendWith(source) })

/**
 * Sends a request for which the client has no function, and reads the body of its response. With
 * any status, a body of the media type that the request accepts is a result.
 * @throws ProblemError, NoResponseError, NoTokenError
 */
export async function fetchBody(
  source: TokenSource,
  url: string | URL,
  init: RequestInit = {}
): Promise<{ body: Blob; etag: string | null }> {
  // The body may be incomplete.
  const read = async (arrived: Response) => [arrived, await arrived.blob()] as const
  const [response, body] = await sendWith(source)(url, init)
    .then(read)
    .catch((cause: unknown) => {
      throw cause instanceof NoTokenError ? cause : new NoResponseError('No response.', { cause })
    })
  const { ok, headers, status } = response
  if (ok || body.type === new Headers(init.headers).get('accept')) return { body, etag: headers.get('etag') }
  const problem = problemOf(await jsonIn(body).catch(() => undefined))
  throw problem ? new ProblemError(problem) : new NoResponseError('Not a problem.', { status })
}

export const jsonIn = async (body: Blob): Promise<unknown> => JSON.parse(await body.text())
