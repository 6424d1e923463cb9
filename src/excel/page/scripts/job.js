import { ApiError, apiUrl, call, lastSegment, readBody, XLSX_MEDIA_TYPE } from './api.js'
import { currentLanguage } from './language.js'
import { waitForToken } from './token.js'

/**
 * @typedef {{ name: string, bytes: Blob }} Workbook a snapshot of the chosen file.
 * @typedef {import('../../schemas.js').ImportResult} Report
 * @typedef {{ phase: 'sending' | 'reading' | 'checking' | 'writing' | 'done', rowsDone: number,
 *   rows: number }} Progress
 * @typedef {Progress & { state: string, report: Report | null, problem: import('./api.js').Problem
 *   | null }} Job
 */

/** Bounds of the poll interval. It starts short, because most jobs end soon. */
const MIN_POLL_MS = 300
const MAX_POLL_MS = 2000

/** Consecutive polls that may fail before a job counts as lost. */
const MAX_FAILED_POLLS = 20

/**
 * Checks or imports a workbook and reports progress. Also works with a server that responds
 * synchronously.
 * @param {Workbook} workbook
 * @param {string | undefined} id the catalogue to update; undefined creates a new one.
 * @param {{ dryRun: boolean, confirm: boolean }} options
 * @param {(progress: Progress) => void} onProgress
 * @returns {Promise<Report>}
 * @throws {ApiError}
 */
export async function run(workbook, id, options, onProgress) {
  onProgress({ phase: 'sending', rowsDone: 0, rows: 0 })
  const response = await send(workbook, id, options, { prefer: 'respond-async' })
  if (response.status !== 202) return readBody(response.json())
  return pollJob(lastSegment(response.headers.get('location')), onProgress)
}

/**
 * Fetches the workbook with its faults marked; undefined if it has none.
 * @param {Workbook} workbook
 * @param {string | undefined} id
 * @returns {Promise<Blob | undefined>}
 * @throws {ApiError}
 */
export async function fetchMarked(workbook, id) {
  try {
    await send(workbook, id, { dryRun: true, confirm: false }, { accept: XLSX_MEDIA_TYPE })
    return undefined
  } catch (error) {
    const { response } = /** @type {ApiError} */ (error)
    if (response?.status === 422 && response.headers.get('content-type')?.startsWith(XLSX_MEDIA_TYPE))
      return await readBody(response.blob())
    throw error
  }
}

/**
 * @param {Workbook} workbook
 * @param {string | undefined} id
 * @param {{ dryRun: boolean, confirm: boolean }} options
 * @param {Record<string, string>} headers
 */
function send({ name, bytes }, id, { dryRun, confirm }, headers) {
  const body = new FormData()
  body.append('file', bytes, name)
  const url = apiUrl(id === undefined ? 'catalogue' : `catalogue/${encodeURIComponent(id)}`)
  url.searchParams.set('language', currentLanguage())
  if (confirm && id !== undefined) url.searchParams.set('confirm', 'true')
  url.searchParams.set('dryRun', String(dryRun))
  return call(url, { method: id === undefined ? 'POST' : 'PUT', headers, body })
}

/** Polls a job until it ends.
 * @param {string} id
 * @param {(progress: Progress) => void} onProgress
 */
async function pollJob(id, onProgress) {
  let failures = 0
  for (let pause = MIN_POLL_MS; ; pause = Math.min(pause * 1.5, MAX_POLL_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    const job = await fetchJob(id).catch(async (error) => {
      if (!isTransient(error) || ++failures > MAX_FAILED_POLLS) throw error
      // The job continues on the server; poll again with a new token.
      if (error.status === 401) await waitForToken()
    })
    if (!job) continue
    failures = 0
    if (job.state === 'running') onProgress(job)
    else return resultOf(job)
  }
}

/** @param {string} id @returns {Promise<Job>} */
const fetchJob = async (id) => readBody((await call(apiUrl(`import/${encodeURIComponent(id)}`))).json())

/** @param {unknown} error */
const isTransient = (error) =>
  error instanceof ApiError && (error.status === 0 || [401, 429, 502, 503, 504].includes(error.status))

/** @param {Job} job */
function resultOf({ state, report, problem }) {
  if (state === 'succeeded' && report) return report
  throw new ApiError(422, problem ?? { code: state === 'interrupted' ? 'interrupted' : 'bad-response' })
}
