import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Files that take longest, longest first: whatever runs at the end runs alone. */
const longest = [
  ...[
    'demo',
    'start',
    'access',
    'order/states',
    'db/embedded-crash',
    'crash',
    'fuzz',
    'db/embedded',
    'scope'
  ],
  ...[
    'outcome/kills',
    'overload',
    'outcome/routes',
    'http/log',
    'excel/workbook/sandbox',
    'clerk-scope',
    'leaks'
  ],
  ...[
    'clinical/outage',
    'deadline',
    'consumers',
    'openapi',
    'excel/faults',
    'terminology/annotations',
    'bounds'
  ],
  ...['excel/uploads', 'excel/page-access', 'excel/programs', 'excel/jobs', 'excel/forms', 'excel/round-trip']
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
