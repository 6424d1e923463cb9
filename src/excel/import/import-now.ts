import { newId } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { Ports } from '../../ports.js'
import type { Workbook } from '../../xlsx/reading/cells.js'
import type { ImportRequest } from './import-request.js'
import { type ImportOutcome, importWorkbook } from './import-workbook.js'
import { deleteExpiredJobs, insertSucceeded } from './job.store.js'

/**
 * Imports a catalogue while its caller waits.
 * @throws Problem as {@link importWorkbook}.
 */
export async function importNow(
  ports: Ports,
  actor: Actor,
  workbook: Workbook,
  request: ImportRequest
): Promise<ImportOutcome> {
  if (!request.dryRun) await deleteExpiredJobs(ports.db)
  return importWorkbook(ports, actor, workbook, request, { importId: newId(), record: insertSucceeded })
}
