const DAY_MS = 86_400_000
/**
 * Day 0. Excel counts the nonexistent 29 February 1900, so earlier days count from one day later.
 */
const EPOCH_MS = Date.UTC(1899, 11, 30)
/** 9999-12-31, the last day in Excel. */
const MAX_SERIAL = 2_958_465
/** Day 0 of workbooks that count from 1904, as on old Macs. */
const OFFSET_1904_DAYS = 1_462

/** Whether a number is in the range of dates and times. */
export const isValidSerial = (serial: number) => serial >= 0 && serial < MAX_SERIAL + 1

/** Converts a 1904 serial to the usual one. Times of day stay as they are. */
export const from1904 = (serial: number) => (serial < 1 ? serial : serial + OFFSET_1904_DAYS)

/**
 * Formats a serial as 2026-11-21, 2026-11-21T10:15:00 or 10:15:00. Workbooks have no time zones.
 */
export function formatSerial(serial: number): string {
  const seconds = Math.round(serial * 86_400)
  const days = Math.floor(seconds / 86_400)
  const time = new Date((seconds % 86_400) * 1000).toISOString().slice(11, 19)
  if (days === 0) return time
  const on = new Date(EPOCH_MS + (days + (days < 60 ? 1 : 0)) * DAY_MS).toISOString().slice(0, 10)
  return time === '00:00:00' ? on : `${on}T${time}`
}

/** Parses an ISO 8601 date of a cell of type `d` to a serial; undefined if it is not one. */
export function parseIsoDate(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?$/.test(text)) return undefined
  const time = Date.parse(/[TZ]/.test(text) ? `${text.replace('Z', '')}Z` : text)
  const serial = (time - EPOCH_MS) / DAY_MS
  return Number.isNaN(time) || serial < 61 || !isValidSerial(serial) ? undefined : serial
}
