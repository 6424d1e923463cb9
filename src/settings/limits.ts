import { inputLimits } from '../platform/json/input-limits.js'
import { defaultLimits } from '../xlsx/format/limits.js'

const MIB = 1_048_576

/** Fixed limits. `Config.limits` adds the limits that are settings. */
export const fixedLimits = {
  /** Maximum bytes of a JSON body. */
  body: MIB,
  /** Maximum bytes of the JSON body of a bulk create. */
  bulkBody: 10 * MIB,
  /** Maximum items that a workbook creates or changes. */
  bulkItems: inputLimits.bulkItems,
  /** Maximum items of a workbook, including unchanged items. */
  workbookItems: 20_000,
  /** Slots of heavy work. */
  bulkConcurrency: 2,
  /** Maximum notes of an order, and maximum bytes of all notes as JSON. */
  notes: 200,
  noteBytes: 262_144,
  /** Maximum bytes of a query string. */
  query: 8192,
  /** Maximum lines of an order. */
  orderLines: 1000,
  /**
   * Default and maximum entries of a page of a list, and its maximum bytes. A page has at least one
   * entry.
   */
  page: 1000,
  pageBytes: 8 * MIB,
  /** Limits of reading and marking a workbook. */
  workbook: defaultLimits,
  /** Milliseconds for which an upstream is not called after repeated failures. */
  circuitOpen: 10_000,
  /** Milliseconds in which a client must read a response, before its connection is closed. */
  responseTimeout: 120_000,
  /** Maximum unread bytes of all responses together. Beyond it, the oldest are closed. */
  unread: 256 * MIB
}
