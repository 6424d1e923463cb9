import { ProblemError, SslClient } from '../../clients/typescript/src/index.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'

/** Ends the demo with a message for the user. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}

/** The user in the token. */
export interface Person {
  userType: UserType
  name: string
  /** URL of the person's clinical Organization. */
  organization: string
}

interface ApiResponse {
  status: number
  body: unknown
}

const REQUEST_TIMEOUT_MS = 15_000

/** The client of a user. */
export const clientOf = (base: string, person: Person): SslClient =>
  new SslClient({ origin: base, token: unsignedToken(person), timeoutMs: REQUEST_TIMEOUT_MS })

/** The code of the problem that ends a call; undefined when it succeeds. */
export async function refusalOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error.code
    throw error
  }
}

/** Whether a call creates a unique entry. False if it exists. */
export async function isCreated(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (error instanceof ProblemError && error.status === 409) return false
    throw error
  }
}

/**
 * Checks that the server responds, is ready and accepts unsigned tokens.
 * @throws DemoError that says what to do.
 */
export async function checkServer(base: string): Promise<void> {
  const health = await send(base, '/health/ready', {})
  if (health.status === 503)
    throw new DemoError(`The server at ${base} is not ready: its database does not respond.`)
  if ((health.body as { status?: unknown } | undefined)?.status !== 'ok')
    throw new DemoError(`The program at ${base} is not this server. Give its URL: --url http://…`)
  const authorization = unsignedToken({ userType: 'AdministrativeClerk' })
  const probe = await send(base, '/ssl-order/v1/party/none', { headers: { authorization } })
  if (probe.status === 401)
    throw new DemoError(
      `The server at ${base} rejects unsigned tokens. The demo needs a server of the environment devtest.`
    )
}

/** The public URL of an API, with which references start. */
export async function publicBase(base: string, api: string): Promise<string> {
  const { body } = await send(base, `${api}/openapi.json`, {})
  const {
    schemes = [],
    host = '',
    basePath = ''
  } = (body ?? {}) as {
    schemes?: string[]
    host?: string
    basePath?: string
  }
  return `${schemes[0]}://${host}${basePath}`
}

/** The path of a URL in either addressing form, because the demo uses a single host. */
export function pathOf(url: string): string {
  const { hostname, pathname } = new URL(url)
  const api = /^ssl-[a-z-]+(?=\.)/.exec(hostname)?.[0]
  return api === undefined ? pathname : `/${api}${pathname}`
}

async function send(base: string, path: string, request: RequestInit): Promise<ApiResponse> {
  try {
    const response = await fetch(base + path, { ...request, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json') && text !== ''
    return { status: response.status, body: json ? JSON.parse(text) : undefined }
  } catch {
    throw new DemoError(
      `No server responds at ${base}. Start one with "npm start" in another terminal, then try again.`
    )
  }
}
