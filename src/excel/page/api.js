import { currentToken, refuseToken } from './token.js'

/** The media type of .xlsx. */
export const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Milliseconds after which an answer is waited for no longer. */
const patience = 120_000

/**
 * What the server says of a request that it refuses, after RFC 9457.
 * @typedef {{ code: string, title?: string, detail?: string, total?: number, faults?: import('../sheets/cell-faults.js').CellFault[] }} Problem
 */

/** A request that was refused, or that got no answer (code `no-answer`). */
export class Refusal extends Error {
  /**
   * @param {number} status 0 where there was no answer.
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

/** An address of the workbooks' API, from where the page was loaded, under whatever name.
 * @param {string} path
 */
export const workbooks = (path) => new URL(`../${path}`, import.meta.url)

/**
 * Sends a request with the caller's token.
 * @param {URL} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: FormData }} [request]
 * @throws {Refusal}
 */
export async function call(url, { headers, ...request } = {}) {
  const token = currentToken()
  if (token === undefined) throw new Refusal(401, { code: 'no-token' })
  const response = await fetch(url, {
    ...request,
    headers: {
      accept: 'application/json, application/problem+json',
      ...headers,
      authorization: `Bearer ${token}`
    },
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(patience)
  }).catch(() => {
    throw new Refusal(0, { code: 'no-answer' })
  })
  if (response.status === 401) refuseToken(token)
  if (!response.ok) throw new Refusal(response.status, await problemOf(response.clone()), response)
  return response
}

/**
 * What an answer holds, which may break off.
 * @template T
 * @param {Promise<T>} reading
 * @returns {Promise<T>}
 * @throws {Refusal}
 */
export const whole = (reading) =>
  reading.catch(() => {
    throw new Refusal(0, { code: 'no-answer' })
  })

/** The last segment of an address. The server's own name for itself may be another than the one that the page was loaded under.
 * @param {string | null} address
 */
export const idIn = (address) => address?.split(/[?#]/)[0]?.split('/').at(-1) ?? ''

/** @param {Response} response @returns {Promise<Problem>} */
async function problemOf(response) {
  try {
    const body = await response.json()
    if (typeof body?.code === 'string') return body
  } catch {
    // Something between the server and here answers in its own words.
  }
  return { code: 'odd-answer', detail: `${response.status} ${response.statusText}` }
}
