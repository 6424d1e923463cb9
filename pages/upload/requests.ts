import { type Party, ProblemError } from '../../clients/typescript/src/index.js'
import type { HistoryEntry } from '../../src/catalogue/history/history.schemas.js'
import type { ImportResult } from '../../src/excel/schemas.js'
import type { FaultInResponse } from '../../src/excel/sheets/cell-faults.js'
import { access } from '../parts/access/access.js'
import { clientOf, fetchBody, jsonIn } from '../parts/calls.js'
import { byName } from '../parts/list.js'

const XLSX_MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const REQUEST_TIMEOUT_MS = 120_000

/** A snapshot of the chosen file. */
export interface Workbook {
  name: string
  bytes: Blob
}

/** Members of the problem of a rejected workbook, in addition to its texts. */
export interface WorkbookProblem {
  code?: string
  /** The number of all faults, and the first ones. */
  total?: number
  faults?: FaultInResponse[]
  /** URL and name of another catalogue that the user may have intended. */
  catalogue?: string
  name?: string
}

export const problemIn = (error: unknown): WorkbookProblem | undefined =>
  error instanceof ProblemError ? (error.problem as WorkbookProblem) : undefined

const client = clientOf(access)
export const catalogueApi = client.catalogue

/** The catalogues and sellers for which the user can import workbooks. */
export async function loadTargets() {
  const [catalogues, me] = await Promise.all([
    catalogueApi.listCatalogue({ administered: true }).all(),
    // The page works without the permission to read parties.
    client.order.getMe({ expand: ['parties'] }).catch(() => undefined)
  ])
  const { userType, administeredSellers, parties = [], expanded = {} } = me?.data ?? {}
  const isClerk = userType === 'AdministrativeClerk'
  const canUpload = userType !== 'MonitoringResponsible'
  const sellers = ((isClerk ? administeredSellers : parties) ?? [])
    .map((url) => expanded[url] as Party)
    .filter(({ allowedRoles }) => canUpload && allowedRoles.includes('SELLER'))
  return {
    /** The catalogues that the user can change, by name. */
    catalogues: catalogues.sort(byName),
    /** Whether the user type can import catalogues. */
    canUpload,
    /** Whether there is a seller for whom the user can create a catalogue. */
    canCreate: canUpload && !(isClerk && administeredSellers?.length === 0),
    /** The names of these sellers, as far as they are known. */
    sellers: sellers.sort(byName).map(({ name }) => name)
  }
}

export type ImportTargets = Awaited<ReturnType<typeof loadTargets>>

function call(path: string, query: Record<string, string> = {}, init: RequestInit = {}) {
  const url = new URL(`/ssl-catalogue-excel/v1/${path}`, location.origin)
  url.search = new URLSearchParams(query).toString()
  return fetchBody(access, url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
}

/** The empty workbook, or a catalogue as a workbook. */
export const fetchWorkbook = async (path: string): Promise<Blob> => (await call(path)).body

/** The report of a check or an import. */
export interface Uploaded {
  report: ImportResult
  /** The version of the catalogue that was checked. */
  etag: string | null
}

/**
 * Checks or imports a workbook.
 * @param id the catalogue to update; undefined creates a new catalogue.
 * @param query `dryRun` checks; `confirm` updates although another catalogue has the name.
 * @param etag of the check; the import is rejected if the catalogue has changed since.
 */
export async function upload(
  workbook: Workbook,
  id: string | undefined,
  query: Record<string, string>,
  etag: string | null
): Promise<Uploaded> {
  const response = await send(workbook, id, query, etag === null ? {} : { 'if-match': etag })
  return { report: (await jsonIn(response.body)) as ImportResult, etag: response.etag }
}

/** The workbook with its faults marked; undefined if it has no faults. */
export async function fetchMarked(workbook: Workbook, id: string | undefined): Promise<Blob | undefined> {
  const { body } = await send(workbook, id, { dryRun: 'true' }, { accept: XLSX_MEDIA_TYPE })
  return body.type === XLSX_MEDIA_TYPE ? body : undefined
}

function send(
  { name, bytes }: Workbook,
  id: string | undefined,
  query: Record<string, string>,
  headers: Record<string, string> = {}
) {
  const body = new FormData()
  body.append('file', bytes, name)
  return id === undefined
    ? call('catalogue', query, { method: 'POST', headers, body })
    : call(`catalogue/${encodeURIComponent(id)}`, query, { method: 'PUT', headers, body })
}

/** The newest imports of a catalogue, newest first. */
export const listImports = async (catalogue: string) =>
  (await jsonIn((await call('imports', { catalogue, limit: '50' })).body)) as HistoryEntry[]

export const undoImport = (id: string): Promise<unknown> =>
  call(`import/${encodeURIComponent(id)}/undo`, {}, { method: 'POST' })
