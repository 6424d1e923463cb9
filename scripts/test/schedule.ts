import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Slow files, each with its own process. The slowest is first, so that no slow file runs alone at
 * the end.
 */
const slowFiles = `
  operations/alerts process/demo db/replica process/start access/every-route order/states embedded-postgres/crash
  process/database-killed api/fuzz embedded-postgres/start access/random-worlds excel/odd-content
  excel/scope outcome/kills limits/overload outcome/routes http/log excel/workbook/sandbox
  access/clerk-scope access/leaks clinical/outage limits/deadline api/generated-clients api/openapi
  event-feed/kills event-feed/random-worlds excel/faults excel/marked terminology/annotations limits/processor-time order/orderability excel/uploads
  excel/page/access excel/programs excel/jobs excel/forms excel/round-trip contributing`
/** Files that measure their own process. */
const measuringFiles = 'excel/workbook/process excel/workbook/hostile platform/http-client'
const singleFiles = `${slowFiles} ${measuringFiles}`.trim().split(/\s+/)

/** The position of a file among those with their own process, else -1. */
const rankOf = (file: string) => singleFiles.findIndex((each) => file.endsWith(`test/${each}.test.js`))

/** Whether a test file may run in one process with others. */
export const mayShareProcess = (file: string): boolean => rankOf(file) < 0

/** All compiled test files in a folder, except in folders named `fixtures`. */
export const testFilesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js') && !file.split('/').includes('fixtures'))
    .map((file) => join(folder, file))

/** Fast files share processes, because most run faster than their imports load. */
const FILES_PER_PROCESS = 8

/** The files of each process, in the order in which to start them. */
export function schedule(files: readonly string[]): string[][] {
  const single = files.filter((file) => !mayShareProcess(file)).toSorted((a, b) => rankOf(a) - rankOf(b))
  const short = files.filter(mayShareProcess)
  const shared = Array.from({ length: Math.ceil(short.length / FILES_PER_PROCESS) }, (_, at) =>
    short.slice(at * FILES_PER_PROCESS, (at + 1) * FILES_PER_PROCESS)
  )
  return [...single.map((file) => [file]), ...shared]
}
