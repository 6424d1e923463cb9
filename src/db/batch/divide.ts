import { isOutcomeUnknown, unwrapDriverError } from '../../platform/errors/pg-errors.js'

/**
 * Runs `run`, which takes effect for all entries or for none. After a failure that one entry may
 * have caused, runs it for each half, until that entry fails alone.
 */
export async function divideOnFailure<T>(
  entries: readonly T[],
  run: (part: readonly T[]) => Promise<void>,
  fail: (entry: T, cause: unknown) => void
): Promise<void> {
  try {
    await run(entries)
  } catch (cause) {
    if (entries.length === 1 || !isDivisible(cause)) {
      for (const entry of entries) fail(entry, cause)
      return
    }
    const middle = Math.ceil(entries.length / 2)
    await divideOnFailure(entries.slice(0, middle), run, fail)
    await divideOnFailure(entries.slice(middle), run, fail)
  }
}

/**
 * Whether a single entry may have caused the error, by the class of its SQLSTATE: invalid data, a
 * constraint, a conflict, or a program limit. Never if the batch may have taken effect.
 */
function isDivisible(cause: unknown): boolean {
  const error = unwrapDriverError(cause)
  return error !== undefined && !isOutcomeUnknown(cause) && /^(22|23|40|54)/.test(error.code)
}
