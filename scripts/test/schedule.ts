import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Files that take longest, longest first: whatever runs at the end runs alone. */
const longest = [
  ...['excel/uploads', 'start', 'db/embedded', 'access', 'excel/faults', 'excel/page-access', 'overload'],
  ...['excel/programs', 'excel/odd-content', 'excel/jobs', 'excel/forms', 'excel/round-trip', 'excel/scope'],
  ...['clinical/outage', 'deadline', 'terminology/annotations', 'fuzz', 'scope', 'consumers', 'leaks'],
  ...['platform/tokens/attacks', 'db/migrations', 'excel/workbook/hostile', 'openapi']
]

/** All compiled test files in a folder, but for those in folders named `fixtures`. */
export const testFilesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js') && !file.split('/').includes('fixtures'))
    .map((file) => join(folder, file))

/** In the order in which they are best begun. */
export function scheduled(files: readonly string[]): string[] {
  const rankOf = (file: string) => {
    const at = longest.findIndex((each) => file.endsWith(`/test/${each}.test.js`))
    return at < 0 ? longest.length : at
  }
  return files.toSorted((a, b) => rankOf(a) - rankOf(b))
}
