import { currentLanguage } from './language.js'
import { currentToken, rejectToken } from './token.js'

/** The media type of .xlsx. */
export const XLSX_MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const REQUEST_TIMEOUT_MS = 120_000

/**
 * A problem response (RFC 9457).
 * @typedef {import('../../sheets/cell-faults.js').FaultInResponse} Fault
 * @typedef {{ code: string, title?: string, detail?: string, total?: number, faults?: Fault[],
 *   catalogue?: string, name?: string, language?: string | null }} Problem
 */

/** A request that failed, with a problem response or without a response (code `no-response`). */
export class ApiError extends Error {
  /**
   * @param {number} status 0 if there was no response.
   * @param {Problem} problem
   * @param {Response} [response]
   */
  constructor(status, problem, response) {
    super(problem.code)
    this.status = status
    this.problem = problem
    this.response = response
  }
}

/** A URL of the API, relative to this page.
 * @param {string} path
 */
export const apiUrl = (path) => new URL(`../${path}`, import.meta.url)

/**
 * Sends a request with the caller's token.
 * @param {URL} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: FormData }} [request]
 * @throws {ApiError}
 */
export async function call(url, { headers, ...request } = {}) {
  const token = currentToken()
  if (token === undefined) throw new ApiError(401, { code: 'no-token' })
  const response = await fetch(url, {
    ...request,
    headers: {
      accept: 'application/json, application/problem+json',
      'accept-language': currentLanguage(),
      ...headers,
      authorization: `Bearer ${token}`
    },
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  }).catch(() => {
    throw new ApiError(0, { code: 'no-response' })
  })
  if (response.status === 401) rejectToken(token)
  if (!response.ok) throw new ApiError(response.status, await problemOf(response.clone()), response)
  return response
}

/**
 * Awaits a response body, which may break off.
 * @template T
 * @param {Promise<T>} reading
 * @returns {Promise<T>}
 * @throws {ApiError}
 */
export const readBody = (reading) =>
  reading.catch(() => {
    throw new ApiError(0, { code: 'no-response' })
  })

/**
 * The last segment of a URL. The host may differ from that of this page, so the URL itself is not
 * used.
 * @param {string | null} address
 */
export const lastSegment = (address) => address?.split(/[?#]/)[0]?.split('/').at(-1) ?? ''

/** @param {Response} response @returns {Promise<Problem>} */
async function problemOf(response) {
  try {
    const body = await response.json()
    const language = response.headers.get('content-language')
    if (typeof body?.code === 'string') return { ...body, language }
  } catch {
    // Not a response of this server; a proxy sent it.
  }
  return { code: 'bad-response', detail: `${response.status} ${response.statusText}` }
}
