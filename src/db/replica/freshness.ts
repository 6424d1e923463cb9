/** A position in the write-ahead log of a primary, in bytes. */
export type Lsn = number

/** The primary's position at a time of `performance.now()`. */
interface Sample {
  lsn: Lsn
  at: number
}

/** The lag must be below `maxLagMs` for this many times as long before reads begin. */
const STABLE_FACTOR = 2

/** Writes wait for the standby until the newest proof is this many times `maxLagMs` old. */
const AWAITED_FACTOR = 2

/** Positions of the primary are forgotten when they are this many times `maxLagMs` old. */
const FORGOTTEN_FACTOR = 3

/**
 * What an instance knows of how current a standby is. A position of the primary that the standby
 * has replayed proves that it has everything committed before that position was asked for: the age
 * of the newest such position bounds the lag, without comparing clocks.
 *
 * While the primary does not respond, the age does not grow, because nothing is written.
 */
export class Freshness {
  /** Oldest first. */
  #samples: Sample[] = []
  #replayed: Lsn = 0
  #required: Lsn = 0
  #isPrimaryUnreachable = false
  #isStandbyUnreachable = true
  /** The last time at which the lag was too long. */
  #behindAt: number
  readonly #startedAt: number

  /**
   * @param maxLagMs an older position does not prove that the standby may be read from. The state
   *   must hold for twice as long before reads begin, and writes wait for the standby until the
   *   newest proof is twice as old. Another instance may use the standby meanwhile.
   * @param now the current time, as in all methods.
   */
  constructor(
    readonly maxLagMs: number,
    now: number
  ) {
    this.#startedAt = this.#behindAt = now
  }

  /** Whether the primary did not respond when it was last asked. */
  get isPrimaryUnreachable(): boolean {
    return this.#isPrimaryUnreachable
  }

  /** The primary was at this position when it was asked, which was at `askedAt`. */
  primaryAt(lsn: Lsn, askedAt: number, now: number): void {
    this.#isPrimaryUnreachable = false
    this.#noteLag(now)
    this.#samples = [
      ...this.#samples.filter(({ at }) => now - at < FORGOTTEN_FACTOR * this.maxLagMs),
      { lsn, at: askedAt }
    ]
  }

  /** The primary does not respond. */
  primaryUnreachable(): void {
    this.#isPrimaryUnreachable = true
  }

  /** The standby has replayed the log up to this position. After a restart it may be lower. */
  standbyAt(lsn: Lsn, now: number): void {
    this.#noteLag(now)
    this.#isStandbyUnreachable = false
    this.#replayed = lsn
    this.#noteLag(now)
  }

  /** The standby does not respond. It is not read from until it does. */
  standbyUnreachable(): void {
    this.#isStandbyUnreachable = true
  }

  /** Reads from the standby only after it has replayed this position. */
  require(lsn: Lsn): void {
    this.#required = Math.max(this.#required, lsn)
  }

  hasReplayed(lsn: Lsn): boolean {
    return !this.#isStandbyUnreachable && this.#replayed >= lsn
  }

  /** Whether reads may go to the standby. */
  isReadable(now: number): boolean {
    return (
      this.hasReplayed(this.#required) &&
      this.#lagMs(now) < this.maxLagMs &&
      now - this.#behindAt >= STABLE_FACTOR * this.maxLagMs
    )
  }

  /** Whether a write must wait until the standby has replayed it. */
  isAwaited(now: number): boolean {
    const oldest = this.#samples[0]?.at ?? this.#startedAt
    return this.#asOf(now) - (this.#provenAt ?? oldest) <= AWAITED_FACTOR * this.maxLagMs
  }

  #noteLag(now: number): void {
    if (this.#lagMs(now) >= this.maxLagMs) this.#behindAt = now
  }

  /** An upper bound of the standby's lag. */
  #lagMs(now: number): number {
    return this.#asOf(now) - (this.#provenAt ?? Number.NEGATIVE_INFINITY)
  }

  /** The standby has everything that was committed before this time. Undefined when unknown. */
  get #provenAt(): number | undefined {
    return this.#samples.findLast(({ lsn }) => lsn <= this.#replayed)?.at
  }

  #asOf(now: number): number {
    const last = this.#samples.at(-1)
    return this.#isPrimaryUnreachable && last ? last.at : now
  }
}
