import { SslClient } from '../../clients/typescript/src/index.js'
import { language } from './language.js'
import type { TokenSource } from './token-source.js'

/** Sends a request with a token, in the language of the page. Any status is a response. */
export type SendRequest = (url: string | URL, init?: RequestInit) => Promise<Response>

/** The function that sends requests with the tokens of a source. */
export const requestsOf =
  (source: TokenSource): SendRequest =>
  async (url, init = {}) => {
    const token = await source.token()
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    headers.set('accept-language', language.get())
    const response = await fetch(url, {
      ...init,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error'
    })
    if (response.status === 401) source.reject(token)
    return response
  }

/** The typed client of the interfaces, with the tokens of a source. */
export const clientOf = (source: TokenSource): SslClient =>
  new SslClient({
    origin: location.origin,
    token: () => source.token(),
    fetch: requestsOf(source)
  })
