import { type EventBatch, type EventOptions, followEvents } from './events.js'
import type { CloudEvent } from './generated/types.js'
import { type Page, Pages } from './pages.js'
import { send, type TransportOptions, type TransportRequest, type TransportResponse } from './transport.js'

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface CallOptions {
  signal?: AbortSignal
}

export interface ReadOptions<T> extends CallOptions {
  /** A result of an earlier call. The call returns this result again while nothing has changed. */
  known?: Result<T>
}

export interface WriteOptions extends CallOptions {
  /** The `etag` of a read resource: the write is rejected if the resource has changed since. */
  ifMatch?: string | undefined
  /** Whether to return the resource, if the caller may read it. */
  returnResource?: boolean
}

export interface PostOptions extends CallOptions {
  /** Default: a random UUID. Retries of the call use the same key. */
  idempotencyKey?: string
  /** Whether to return the resource, if the caller may read it. */
  returnResource?: boolean
}

export interface Result<T> {
  data: T
  etag: string | undefined
}

export interface Created<T> {
  /** URL of the resource, with which other resources refer to it. */
  url: string
  id: string
  /** The resource, if it was requested and the caller may read it. */
  data: T | undefined
}

/** The last segment of the URL of a resource. */
export const idOf = (url: string): string => new URL(url).pathname.replace(/\/$/, '').split('/').at(-1) ?? ''

/** Calls the operations of one API, whose resources have these names in their URLs. */
export class Api<Name extends string> {
  constructor(
    /** URL of the API, with which the URLs of its resources begin. */
    readonly baseUrl: string,
    private readonly options: TransportOptions
  ) {}

  /** The URL of a resource in a response, with which other resources refer to it. */
  urlOf(name: Name, { id }: { readonly id: string }): string {
    return `${this.baseUrl}/${name}/${encodeURIComponent(id)}`
  }

  /**
   * Follows the events of the API as they happen, without end, and continues after failures of the
   * network and restarts of the server.
   * @throws ProblemError for a 4xx response other than 429; the reason of the signal when it is
   * aborted.
   */
  events(options: EventOptions = {}): AsyncGenerator<EventBatch> {
    const { retryDelayMs = 500, timeoutMs = 30_000 } = this.options
    return followEvents(
      async ({ wait, ...query }) => {
        const url = `${this.baseUrl}/events${searchOf({ ...query, wait })}`
        const waiting = { ...this.options, timeoutMs: timeoutMs + wait * 1000 }
        return pageOf<CloudEvent>(await send(waiting, { method: 'GET', url, signal: options.signal }))
      },
      options,
      retryDelayMs * 10
    )
  }

  /**
   * A segment of a path. Without the segment, the path would be the path of another operation.
   * @throws TypeError for an empty value, and for dots, which URLs remove.
   */
  protected segment(name: string, value: string): string {
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be an id, not '${value}'.`)
    return encodeURIComponent(value)
  }

  protected async read<T>(path: string, query: Query = {}, options: ReadOptions<T> = {}): Promise<Result<T>> {
    const { known, signal } = options
    const headers = { 'if-none-match': known?.etag }
    const response = await this.call({ method: 'GET', url: path + searchOf(query), headers, signal })
    if (response.status === 304 && known) return known
    return { data: response.body as T, etag: response.headers.get('etag') ?? undefined }
  }

  protected list<T>(path: string, query: Query = {}, { signal }: CallOptions = {}): Pages<T> {
    return new Pages<T>(async (next, known) => {
      const headers = { 'if-none-match': known?.etag }
      const response = await this.call({
        method: 'GET',
        url: path + (next ?? searchOf(query)),
        headers,
        signal
      })
      return response.status === 304 && known ? known : pageOf<T>(response)
    })
  }

  protected async create<T>(path: string, body: unknown, options: PostOptions = {}): Promise<Created<T>> {
    const response = await this.post(path, body, options)
    const url = response.headers.get('location') ?? ''
    return { url, id: idOf(url), data: response.body as T | undefined }
  }

  protected async submit<T>(path: string, body: unknown, query: Query, options: PostOptions): Promise<T> {
    return (await this.post(path + searchOf(query), body, options)).body as T
  }

  protected async write<T>(
    method: 'PUT' | 'PATCH',
    path: string,
    body: unknown,
    { ifMatch, returnResource, signal }: WriteOptions = {}
  ): Promise<T | undefined> {
    const headers = { 'if-match': ifMatch, prefer: preference(returnResource) }
    return (await this.call({ method, url: path, headers, body, signal })).body as T | undefined
  }

  protected async remove(path: string, { ifMatch, signal }: WriteOptions = {}): Promise<void> {
    await this.call({ method: 'DELETE', url: path, headers: { 'if-match': ifMatch }, signal })
  }

  private post(path: string, body: unknown, { idempotencyKey, returnResource, signal }: PostOptions) {
    const headers = {
      'idempotency-key': idempotencyKey ?? crypto.randomUUID(),
      prefer: preference(returnResource)
    }
    return this.call({ method: 'POST', url: path, headers, body, signal })
  }

  private call(request: TransportRequest): Promise<TransportResponse> {
    return send(this.options, { ...request, url: this.baseUrl + request.url })
  }
}

const preference = (returnResource = false) => (returnResource ? 'return=representation' : undefined)

function searchOf(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)])
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** A page. Only the query of the next page's URL is used, so that the token stays at its server. */
function pageOf<T>({ headers, body }: TransportResponse): Page<T> {
  const next = /<([^>]+)>; *rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const { entries, expanded } = (Array.isArray(body) ? { entries: body, expanded: {} } : body) as {
    entries: T[]
    expanded: Record<string, object>
  }
  return {
    ...{ entries, expanded },
    etag: headers.get('etag') ?? undefined,
    next: next === undefined ? undefined : new URL(next).search,
    totalCount: headers.get('x-total-count') ?? undefined,
    updatedUntil: headers.get('x-updated-until') ?? undefined
  }
}
