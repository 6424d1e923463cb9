import { userInfo } from 'node:os'
import { createAudit } from './audit/audit.js'
import {
  listUnassigned,
  removeUnassigned,
  type ToAuditRow
} from './catalogue/black-list/unassigned-entries.js'
import { connect, type Database } from './db/driver/database.js'
import { sharedSecret } from './db/secret.js'
import { newId } from './db/unit-of-work.js'
import type { Interaction } from './platform/auth/audit-context.js'
import { describeFailure } from './platform/errors/describe-failure.js'
import { isId } from './platform/rest/resource-urls.js'
import { loadDatabaseConfig } from './settings/load.js'

const usage = `Usage: node dist/program/operator.js black-lists [remove <id>…]

Lists or removes black list entries without an organization: entries that are older than this member and have no audit
record. They apply to every order of their patients, and no caller can see them.
Requires DATABASE_URL, and DATABASE_POOLER if that names a pooler, as the service does. Writes an audit record. The
output is patient data.`

/** Maximum milliseconds of a statement. */
const STATEMENT_TIMEOUT_MS = 60_000

const print = (line: string) => process.stdout.write(`${line}\n`)

/**
 * Runs an operator's command.
 * @throws Error with a message that tells what to do.
 */
async function operate(args: readonly string[]): Promise<void> {
  const { url, pooler } = loadDatabaseConfig()
  const [command, action, ...ids] = args
  const isRemoval = action === 'remove' && ids.length > 0
  if (url === undefined || command !== 'black-lists' || !(action === undefined || isRemoval))
    throw new Error(usage)
  const malformed = ids.filter((id) => !isId(id))
  if (malformed.length > 0) throw new Error(`Malformed id: ${malformed.join(', ')}.`)
  const { db, close } = connect({ url, maxConnections: 1, pooler, statementTimeoutMs: STATEMENT_TIMEOUT_MS })
  try {
    if (isRemoval) {
      await removeUnassigned(
        db,
        [...new Set(ids)],
        await recorder(db, 'removeUnassignedBlackLists', 'delete')
      )
      print(`Removed: ${new Set(ids).size}.`)
      return
    }
    const entries = await listUnassigned(db, await recorder(db, 'listUnassignedBlackLists', 'search-type'))
    for (const { id, createdAt, patient, item } of entries)
      print([id, createdAt.toISOString(), patient, JSON.stringify(item)].join('\t'))
    print(`Black list entries without an organization: ${entries.length}.`)
  } finally {
    await close()
  }
}

/** Makes the audit records of an operator, identified by the account of the operating system. */
async function recorder(db: Database, operation: string, interaction: Interaction): Promise<ToAuditRow> {
  const key = await sharedSecret(db, 'audit')
  const audit = createAudit({ db, key, patients: 'hash', timeoutMs: STATEMENT_TIMEOUT_MS })
  const caller = { userType: 'Operator', userId: accountName(), organization: undefined }
  return (patients) => {
    const subjects = [...new Set(patients)].map((patient) => ({ patient, order: null }))
    return audit.rowOf({ call: { requestId: newId(), operation, interaction }, caller, subjects }, null)
  }
}

/** The name of the account, or its uid when it has no name, as in some containers. */
function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

operate(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${describeFailure(error)}\n`)
  process.exitCode = 1
})
