import { allProblems } from '../../src/app.js'
import { markdownTable } from '../../src/platform/openapi/text.js'
import { codeList } from './markdown.js'

/** Every problem of the API, sorted by status and code. */
export function problemTable(): string {
  const rows = Object.entries(allProblems)
    .map(([code, [status, title, remedy]]) => ({ code, status, title: title.en, remedy: remedy.en }))
    .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return markdownTable(
    ['code', 'status', 'meaning', 'what to do'],
    rows.map(({ code, status, title, remedy }) => [codeList([code]), String(status), title, remedy])
  )
}
