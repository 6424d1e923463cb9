const day = 86_400_000
/** Day 0; Excel counts a 29 February 1900 that never was, so days before it are counted from a day later. */
const epoch = Date.UTC(1899, 11, 30)
/** 9999-12-31, the last day that Excel knows. */
const lastDay = 2_958_465
/** The first day of workbooks made on old Macs, which count from 1904. */
const of1904 = 1_462

/** Whether a number can be a day, or a time of the day, at all. */
export const canBeDate = (serial: number) => serial >= 0 && serial < lastDay + 1

/** The number in the usual count of a day that is counted from 1904; times of the day stay what they are. */
export const from1904 = (serial: number) => (serial < 1 ? serial : serial + of1904)

/** A day as 2026-11-21, with a time as 2026-11-21T10:15:00, a time alone as 10:15:00. A workbook knows no time zones. */
export function dateText(serial: number): string {
  const seconds = Math.round(serial * 86_400)
  const days = Math.floor(seconds / 86_400)
  const time = new Date((seconds % 86_400) * 1000).toISOString().slice(11, 19)
  if (days === 0) return time
  const on = new Date(epoch + (days + (days < 60 ? 1 : 0)) * day).toISOString().slice(0, 10)
  return time === '00:00:00' ? on : `${on}T${time}`
}

/** The number of a day in ISO 8601, as cells of type `d` have it; undefined where it is none. */
export function serialOf(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?$/.test(text)) return undefined
  const time = Date.parse(/[TZ]/.test(text) ? `${text.replace('Z', '')}Z` : text)
  const serial = (time - epoch) / day
  return Number.isNaN(time) || serial < 61 || !canBeDate(serial) ? undefined : serial
}
