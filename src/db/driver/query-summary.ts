/** Writes with their table. */
const WRITES = /(?:\b(insert) into|(?<!\b(?:for|key|do) )\b(update)|\b(delete) from)\s+"?(\w+)"?/gi

/** Tables that a query reads, not functions that provide rows. */
const READS = /\b(?:from|join)\s+"?(\w+)"?(?!\w*"?\s*\()/gi

/** Names of sub-selects. */
const SUBSELECTS = /(\w+)(?:\s*\([\w\s,"]*\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gi

/** Summaries by text. Texts are few: values are parameters. */
const known = new Map<string, string>()

/** Further texts, as of a program fault, are summarized together. */
const MAX_TEXTS = 2000

/**
 * A short name of a query for metrics and traces: its writes with their tables, or the first table
 * that it reads, such as `update orders insert trace_lines` or `select parties`. It contains only
 * words of the SQL text, never values.
 */
export function querySummary(text: string): string {
  const summary = known.get(text)
  if (summary !== undefined) return summary
  if (known.size >= MAX_TEXTS) return 'other'
  const made = summarize(text)
  known.set(text, made)
  return made
}

function summarize(text: string): string {
  const subselects = new Set([...text.matchAll(SUBSELECTS)].map(([, name]) => name))
  const writes = [...text.matchAll(WRITES)].map(
    ([, insert, update, remove, table]) => `${(insert ?? update ?? remove ?? '').toLowerCase()} ${table}`
  )
  if (writes.length > 0) return [...new Set(writes)].join(' ')
  const read = [...text.matchAll(READS)].map(([, table = '']) => table).find((name) => !subselects.has(name))
  const [command = ''] = /\w+/.exec(text) ?? []
  return read === undefined ? command.toLowerCase() : `select ${read}`
}
