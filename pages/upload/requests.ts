import { NoResponseError, ProblemError, problemOf } from '../../clients/typescript/src/index.js'
import type { HistoryEntry } from '../../src/catalogue/history/history.schemas.js'
import type { ImportResult } from '../../src/excel/schemas.js'
import type { FaultInResponse } from '../../src/excel/sheets/cell-faults.js'
import { createAccess } from '../parts/access/access.js'
import { clientOf, NoTokenError, sendWith } from '../parts/calls.js'
import { metaContent } from '../parts/page.js'

/** The media type of .xlsx. */
const XLSX_MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const REQUEST_TIMEOUT_MS = 120_000

/** A snapshot of the chosen file. */
export interface Workbook {
  name: string
  bytes: Blob
}

/** Members of the problem of a refused workbook, besides its texts. */
export interface WorkbookProblem {
  code?: string
  /** The number of all faults, and the first ones. */
  total?: number
  faults?: FaultInResponse[]
  /** URL and name of another catalogue that may be meant. */
  catalogue?: string
  name?: string
}

export const problemIn = (error: unknown): WorkbookProblem | undefined =>
  error instanceof ProblemError ? (error.problem as WorkbookProblem) : undefined

export const access = createAccess(
  ['Provider', 'AdministrativeClerk'],
  metaContent('token-origins').split(' ')
)
export const catalogueApi = clientOf(access).catalogue

/**
 * Calls the API of workbooks, relative to the page. Returns a workbook also where it is the body of
 * a refusal.
 * @throws ProblemError, NoResponseError, NoTokenError
 */
async function call(path: string, query: Record<string, string> = {}, init: RequestInit = {}): Promise<Blob> {
  const url = new URL(path, location.href)
  url.search = new URLSearchParams(query).toString()
  const request = sendWith(access)(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
  const [response, body] = await request
    // The body may break off.
    .then(async (arrived) => [arrived, await arrived.blob()] as const)
    .catch((cause: unknown) => {
      throw cause instanceof NoTokenError ? cause : new NoResponseError('No response.', { cause })
    })
  if (response.ok || body.type === XLSX_MEDIA_TYPE) return body
  const problem = problemOf(await json(body).catch(() => undefined))
  throw problem
    ? new ProblemError(problem)
    : new NoResponseError('Not a response of this server.', { status: response.status })
}

const json = async (body: Blob): Promise<unknown> => JSON.parse(await body.text())

/** The empty workbook, or a catalogue as a workbook. */
export const fetchWorkbook = (path: string): Promise<Blob> => call(path)

/**
 * Checks or imports a workbook.
 * @param id the catalogue to update; undefined creates a new one.
 * @param query `dryRun` checks; `confirm` updates although another catalogue has the name.
 */
export const upload = async (workbook: Workbook, id: string | undefined, query: Record<string, string>) =>
  (await json(await send(workbook, id, query))) as ImportResult

/** The workbook with its faults marked; undefined if it has none. */
export async function fetchMarked(workbook: Workbook, id: string | undefined): Promise<Blob | undefined> {
  const body = await send(workbook, id, { dryRun: 'true' }, { accept: XLSX_MEDIA_TYPE })
  return body.type === XLSX_MEDIA_TYPE ? body : undefined
}

function send(
  { name, bytes }: Workbook,
  id: string | undefined,
  query: Record<string, string>,
  headers: Record<string, string> = {}
): Promise<Blob> {
  const body = new FormData()
  body.append('file', bytes, name)
  return id === undefined
    ? call('catalogue', query, { method: 'POST', headers, body })
    : call(`catalogue/${encodeURIComponent(id)}`, query, { method: 'PUT', headers, body })
}

/** The newest imports of a catalogue, newest first. */
export const listImports = async (catalogue: string) =>
  (await json(await call('imports', { catalogue, limit: '50' }))) as HistoryEntry[]

export const undoImport = (id: string): Promise<Blob> =>
  call(`import/${encodeURIComponent(id)}/undo`, {}, { method: 'POST' })
