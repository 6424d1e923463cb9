/**
 * The texts of a row by column key. Rows share the index of keys: a map per row takes five times
 * the memory.
 */
export class RowTexts {
  readonly #slots: ReadonlyMap<string, number>
  readonly #texts: (string | undefined)[]

  /** @param slots the index of each key, shared by all rows. */
  constructor(slots: ReadonlyMap<string, number>) {
    this.#slots = slots
    this.#texts = Array.from({ length: slots.size })
  }

  get(key: string): string | undefined {
    return this.#texts[this.#slots.get(key) ?? -1]
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  /** @param key one of the shared keys; others are ignored. */
  set(key: string, text: string | undefined): void {
    const slot = this.#slots.get(key)
    if (slot !== undefined) this.#texts[slot] = text
  }

  /** The keys that have a text. */
  keys(): string[] {
    return [...this.#slots.keys()].filter((key) => this.has(key))
  }

  get isEmpty(): boolean {
    return this.#texts.every((text) => text === undefined)
  }
}
