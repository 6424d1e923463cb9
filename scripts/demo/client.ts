import type { UserType } from '../../src/platform/auth/actor.js'
import { unsignedToken } from '../unsigned-token.js'

/** What stops the demo, as a sentence for whoever runs it. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}

/** Who calls: what goes into the token. */
export interface Person {
  userType: UserType
  name: string
  /** URL of the clinical Organization that the person works for. */
  organization: string
}

interface Answer {
  status: number
  location: string | undefined
  link: string | undefined
  body: unknown
}

/** The members of an error's body that the demo looks at. */
interface Problem {
  code?: string
  detail?: string
}

/** Milliseconds that an answer may take. */
const patience = 15_000

/** Somebody who calls the server. An answer that the story does not expect ends it. */
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

  /** Whether an address that was handed out once still leads to something. */
  async knows(address: string): Promise<boolean> {
    return (await this.#call('GET', pathOf(address), undefined, 200, 404)).status === 200
  }

  /** The entries of a list, page by page. */
  async *list<T>(path: string): AsyncGenerator<T> {
    for (let page: string | undefined = path; page !== undefined; ) {
      const { body, link }: Answer = await this.#call('GET', page, undefined, 200)
      yield* body as T[]
      const next = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1]
      page = next && pathOf(next) + new URL(next).search
    }
  }

  /** Creates a resource and answers its address. */
  async create(path: string, body: object): Promise<string> {
    const { location } = await this.#call('POST', path, body, 201)
    if (location === undefined) throw new DemoError(`POST ${path} answered no Location.`)
    return location
  }

  /** Creates an entry that there can be only one of; false when it is there already. */
  async add(path: string, body: object): Promise<boolean> {
    return (await this.#call('POST', path, body, 201, 409)).status === 201
  }

  /** Asks for what a rule forbids, and answers the rule's code. */
  async tryInVain(path: string, body: object): Promise<string> {
    return problemOf(await this.#call('POST', path, body, 422)).code ?? ''
  }

  async patch(address: string, operations: readonly object[]): Promise<void> {
    await this.#call('PATCH', pathOf(address), operations, 204)
  }

  async #call(method: string, path: string, body: object | undefined, ...expected: number[]) {
    const answer = await send(this.#base, path, {
      method,
      headers: { authorization: this.#token, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {})
    })
    if (expected.includes(answer.status)) return answer
    const { code, detail } = problemOf(answer)
    throw new DemoError(
      `${method} ${path} answered ${answer.status}: ${[code, detail].filter(Boolean).join(': ')}`
    )
  }
}

/**
 * Checks that the server is there, can serve, and takes unsigned tokens.
 * @throws DemoError saying what to do.
 */
export async function checkServer(base: string): Promise<void> {
  const health = await send(base, '/health/ready', {})
  if (health.status === 503)
    throw new DemoError(`The server at ${base} is not ready: its database does not answer.`)
  if ((health.body as { status?: unknown } | undefined)?.status !== 'ok')
    throw new DemoError(`What answers at ${base} is another program. Name the server: --url http://…`)
  const authorization = unsignedToken({ userType: 'AdministrativeClerk' })
  const probe = await send(base, '/ssl-order/v1/party/none', { headers: { authorization } })
  if (probe.status === 401)
    throw new DemoError(
      `The server at ${base} refuses unsigned tokens: it is not in the environment devtest, the only one for the demo.`
    )
}

/** The address under which the server itself knows one of its APIs; references begin with it. */
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

/** The path of an address, whichever of the two forms it has: the demo talks to one host alone. */
export function pathOf(address: string): string {
  const { hostname, pathname } = new URL(address)
  const api = /^ssl-[a-z-]+(?=\.)/.exec(hostname)?.[0]
  return api === undefined ? pathname : `/${api}${pathname}`
}

async function send(base: string, path: string, request: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(base + path, { ...request, signal: AbortSignal.timeout(patience) })
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json') && text !== ''
    const location = response.headers.get('location') ?? undefined
    const link = response.headers.get('link') ?? undefined
    return { status: response.status, location, link, body: json ? JSON.parse(text) : undefined }
  } catch {
    throw new DemoError(
      `No server answers at ${base}. Start one with "npm start" in another terminal, then try again.`
    )
  }
}

const problemOf = ({ body }: Answer) => (body ?? {}) as Problem
