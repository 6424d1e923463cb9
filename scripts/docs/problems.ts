import { allProblems } from '../../src/app.js'
import { markdownTable } from '../../src/platform/openapi/text.js'
import type { ApiDocuments } from '../api-documents.js'
import { codeList } from './markdown.js'

/** Every problem of the documents, by status and code. Cells of workbooks have further codes. */
export function problemTable({ openApi20 }: ApiDocuments): string {
  const descriptions = Object.values(openApi20).map(
    ({ info }) => (info as { description: string }).description
  )
  const rows = Object.entries(allProblems)
    .filter(([code]) => descriptions.some((text) => text.includes(`| \`${code}\` | `)))
    .map(([code, { status, title, remedy }]) => ({ code, status, title: title.en, remedy: remedy.en }))
    .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return markdownTable(
    ['code', 'status', 'meaning', 'what to do'],
    rows.map(({ code, status, title, remedy }) => [codeList([code]), String(status), title, remedy])
  )
}
