import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allProblems } from '../../src/app.js'
import { markdownTable } from '../../src/platform/openapi/text.js'
import { recordedApis } from './access.js'
import { codeList } from './markdown.js'

/** Every problem of the recorded documents, by status and code. Cells of workbooks have further codes. */
export function problemTable(): string {
  const documents = recordedApis.map((api) => readFileSync(join('openapi', `${api}.json`), 'utf8'))
  const rows = Object.entries(allProblems)
    .filter(([code]) => documents.some((text) => text.includes(`| \`${code}\` | `)))
    .map(([code, [status, title, remedy]]) => ({ code, status, title: title.en, remedy: remedy.en }))
    .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return markdownTable(
    ['code', 'status', 'meaning', 'what to do'],
    rows.map(({ code, status, title, remedy }) => [codeList([code]), String(status), title, remedy])
  )
}
