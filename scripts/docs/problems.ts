import { allProblems } from '../../src/app.js'
import { markdownTable } from '../../src/platform/openapi/text.js'
import { codeList } from './markdown.js'

/** Every problem of the API, sorted by status and code. */
export function problemTable(): string {
  const rows = Object.entries(allProblems)
    .map(([code, [status, title]]) => ({ code, status, title }))
    .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return markdownTable(
    ['code', 'status', 'meaning'],
    rows.map(({ code, status, title }) => [codeList([code]), String(status), title])
  )
}
