import { call, idIn, Refusal, whole, workbooks, xlsx } from './api.js'
import { currentLanguage } from './language.js'
import { anyToken } from './token.js'

/**
 * @typedef {{ name: string, bytes: Blob }} Workbook a file as it was when it was chosen.
 * @typedef {import('../schemas.js').ImportResult} Report
 * @typedef {{ phase: 'sending' | 'reading' | 'checking' | 'writing' | 'done', rowsDone: number, rows: number }} Progress
 * @typedef {Progress & { state: string, report: Report | null, problem: import('./api.js').Problem | null }} Job
 */

/** Milliseconds between two looks at a job: often at first, since most are done soon. */
const firstPause = 300
const longestPause = 2000

/** Looks in a row that may fail before a job counts as lost. */
const mostMissed = 20

/**
 * Checks or imports a workbook and tells how far it has come. A server that does it at once is as good.
 * @param {Workbook} workbook
 * @param {string | undefined} id the catalogue that is updated; without it a new one is made.
 * @param {boolean} dryRun
 * @param {(progress: Progress) => void} onProgress
 * @returns {Promise<Report>}
 * @throws {Refusal}
 */
export async function run(workbook, id, dryRun, onProgress) {
  onProgress({ phase: 'sending', rowsDone: 0, rows: 0 })
  const answer = await send(workbook, id, dryRun, { prefer: 'respond-async' })
  if (answer.status !== 202) return whole(answer.json())
  return follow(idIn(answer.headers.get('location')), onProgress)
}

/**
 * The workbook with its faults marked, or nothing where it has none.
 * @param {Workbook} workbook
 * @param {string | undefined} id
 * @returns {Promise<Blob | undefined>}
 * @throws {Refusal}
 */
export async function marked(workbook, id) {
  try {
    await send(workbook, id, true, { accept: xlsx, 'accept-language': currentLanguage() })
    return undefined
  } catch (error) {
    const { response } = /** @type {Refusal} */ (error)
    if (response?.status === 422 && response.headers.get('content-type')?.startsWith(xlsx))
      return await whole(response.blob())
    throw error
  }
}

/**
 * @param {Workbook} workbook
 * @param {string | undefined} id
 * @param {boolean} dryRun
 * @param {Record<string, string>} headers
 */
function send({ name, bytes }, id, dryRun, headers) {
  const body = new FormData()
  body.append('file', bytes, name)
  const url = workbooks(id === undefined ? 'catalogue' : `catalogue/${encodeURIComponent(id)}`)
  url.searchParams.set('dryRun', String(dryRun))
  return call(url, { method: id === undefined ? 'POST' : 'PUT', headers, body })
}

/** Looks at a job until it is over.
 * @param {string} id
 * @param {(progress: Progress) => void} onProgress
 */
async function follow(id, onProgress) {
  let missed = 0
  for (let pause = firstPause; ; pause = Math.min(pause * 1.5, longestPause)) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    const job = await look(id).catch(async (error) => {
      if (!isPassing(error) || ++missed > mostMissed) throw error
      // The job goes on without us; with another token it can be looked at again.
      if (error.status === 401) await anyToken()
    })
    if (!job) continue
    missed = 0
    if (job.state === 'running') onProgress(job)
    else return resultOf(job)
  }
}

/** @param {string} id @returns {Promise<Job>} */
const look = async (id) => whole((await call(workbooks(`import/${encodeURIComponent(id)}`))).json())

/** @param {unknown} error */
const isPassing = (error) =>
  error instanceof Refusal && (error.status === 0 || [401, 429, 502, 503, 504].includes(error.status))

/** @param {Job} job */
function resultOf({ state, report, problem }) {
  if (state === 'succeeded' && report) return report
  throw new Refusal(422, problem ?? { code: state === 'interrupted' ? 'interrupted' : 'odd-answer' })
}
