/** A page of a list. */
export interface Page<T> {
  entries: readonly T[]
  /** Resources that the entries refer to, by their URLs, with `expand`. */
  expanded: Readonly<Record<string, object>>
  etag: string | undefined
  /** Query string of the next page; undefined on the last page. */
  next: string | undefined
  /** With `count`: the number of all entries, such as `42` or `10000+`. */
  totalCount: string | undefined
  /** With `updatedSince`: the value for the next poll. */
  updatedUntil: string | undefined
}

type Load<T> = (next: string | undefined, known: Page<T> | undefined) => Promise<Page<T>>

/** A list, as an async iterable of its entries. Pages are requested when they are needed. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #load: Load<T>

  constructor(load: Load<T>) {
    this.#load = load
  }

  /**
   * The first page.
   * @param known a page of an earlier call. The function returns it again while nothing has
   * changed.
   */
  first(known?: Page<T>): Promise<Page<T>> {
    return this.#load(undefined, known)
  }

  /**
   * All pages, one after the other.
   * @param known the first page of an earlier call, as {@link first} takes it.
   */
  async *pages(known?: Page<T>): AsyncGenerator<Page<T>> {
    for (let page: Page<T> | undefined = await this.first(known); page; ) {
      yield page
      page =
        page.next === undefined || page.entries.length === 0
          ? undefined
          : await this.#load(page.next, undefined)
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const { entries } of this.pages()) yield* entries
  }

  /** All entries, in an array. */
  async all(): Promise<T[]> {
    const entries: T[] = []
    for await (const entry of this) entries.push(entry)
    return entries
  }
}
