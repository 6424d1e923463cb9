/** Limits of bodies, which their schemas state. */
export const inputLimits = {
  /** Characters of a text. */
  text: 4000,
  /** References or identifiers in a list. */
  list: 1000,
  /** Entries of a bulk create. */
  bulkItems: 5000,
  /** Operations of a JSON Patch. */
  patchOperations: 50
}
