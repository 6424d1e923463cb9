import type { UserType } from '../../src/platform/auth/caller.js'
import { unsignedToken } from '../unsigned-token.js'

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
  location: string | undefined
  link: string | undefined
  body: unknown
}

/** The members of a problem that the demo reads. */
interface Problem {
  code?: string
  detail?: string
}

const REQUEST_TIMEOUT_MS = 15_000

/** Sends requests as a user. An unexpected response throws a DemoError. */
export class Caller {
  readonly #base: string
  readonly #token: string

  constructor(base: string, person: Person) {
    this.#base = base
    this.#token = unsignedToken(person)
  }

  async get<T>(path: string): Promise<T> {
    return (await this.#call('GET', path, undefined, 200)).body as T
  }

  /** Whether a resource exists and is visible to the caller. */
  async canSee(url: string): Promise<boolean> {
    return (await this.#call('GET', pathOf(url), undefined, 200, 404)).status === 200
  }

  /** The entries of all pages of a list. */
  async *list<T>(path: string): AsyncGenerator<T> {
    for (let page: string | undefined = path; page !== undefined; ) {
      const { body, link }: ApiResponse = await this.#call('GET', page, undefined, 200)
      yield* body as T[]
      const next = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1]
      page = next && pathOf(next) + new URL(next).search
    }
  }

  /** Creates a resource and returns its URL. */
  async create(path: string, body: object): Promise<string> {
    const { location } = await this.#call('POST', path, body, 201)
    if (location === undefined) throw new DemoError(`The response to POST ${path} has no Location.`)
    return location
  }

  /** Creates a unique entry. Returns false if it exists. */
  async add(path: string, body: object): Promise<boolean> {
    return (await this.#call('POST', path, body, 201, 409)).status === 201
  }

  /** Sends a request that a rule rejects. Returns the code of the problem. */
  async expectRejection(path: string, body: object): Promise<string> {
    return problemOf(await this.#call('POST', path, body, 422)).code ?? ''
  }

  async patch(url: string, operations: readonly object[]): Promise<void> {
    await this.#call('PATCH', pathOf(url), operations, 204)
  }

  async #call(method: string, path: string, body: object | undefined, ...expected: number[]) {
    const response = await send(this.#base, path, {
      method,
      headers: { authorization: this.#token, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {})
    })
    if (expected.includes(response.status)) return response
    const { code, detail } = problemOf(response)
    throw new DemoError(
      `${method} ${path} returned ${response.status}: ${[code, detail].filter(Boolean).join(': ')}`
    )
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
    const location = response.headers.get('location') ?? undefined
    const link = response.headers.get('link') ?? undefined
    return { status: response.status, location, link, body: json ? JSON.parse(text) : undefined }
  } catch {
    throw new DemoError(
      `No server responds at ${base}. Start one with "npm start" in another terminal, then try again.`
    )
  }
}

const problemOf = ({ body }: ApiResponse) => (body ?? {}) as Problem
