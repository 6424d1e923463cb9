import type { Readable } from 'node:stream'
import { isDistributed } from '../db/distribution.js'
import { connect } from '../db/driver/database.js'
import { describeFailure } from '../platform/errors/describe-failure.js'
import { loadDatabaseConfig } from '../settings/load.js'
import { type Command, type Print, UsageError } from './command.js'
import { backfillDevices } from './devices-backfill.js'
import { exportPatient } from './export/patient-export.js'
import { replaceOrganization } from './organization-replace.js'
import { erasePatient } from './patient-erase.js'
import { STATEMENT_TIMEOUT_MS } from './recorder.js'
import { retainAudit, retainEvents } from './retention-months.js'
import { retainOrders } from './retention-orders.js'

const usage = `Usage: node dist/program/main.js operator <command>

  retention audit --months <n> [--confirm]
      Removes the months of the audit record that ended at least n months ago.
  retention events [--confirm]
      Removes the months of events that ended at least EVENTS_KEPT days ago.
  retention orders --closed-months <n> [--in-use-months <m>] [--confirm]
      Removes orders that were closed, and drafts that were deleted, at least n months ago. Leaves those that delivered
      a device that is in use, unless it has been for at least m months.
  patient export <reference> --to <file>
      Writes all that is stored about a patient, and who accessed it, as JSON.
  patient erase <reference> [--keep-numbers] [--confirm]
      Erases a patient from its closed orders, the black lists and the plain references of the audit record, and clears
      the serial numbers, lot numbers and UDIs of its devices unless they are kept.
  organization replace --from <organization> --to <organization> [--party <url>]… [--black-lists] [--confirm]
      Gives everything of an organization that was merged to another one, and refuses its tokens from then on. With --party
      gives only these parties, and with --black-lists copies of the black list entries.
  devices backfill
      Adds the devices of lines that were fulfilled before the program recorded devices.

An organization is the URL of the clinical Organization. A reference is that of the Patient; - reads it from the
standard input. Without --confirm a command that takes it changes nothing and shows what it would do. retention, patient
erase and organization replace require the owner of the tables.
Requires DATABASE_URL, and DATABASE_POOLER if that names a pooler, as the service does; EVENTS_KEPT likewise. Writes an audit record.`

const commands: Readonly<Record<string, Command>> = {
  'retention audit': retainAudit,
  'retention events': retainEvents,
  'retention orders': retainOrders,
  'patient export': exportPatient,
  'patient erase': erasePatient,
  'organization replace': replaceOrganization,
  'devices backfill': backfillDevices
}

/** What an operator's command takes from its process. */
interface Surroundings {
  /** Default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>>
  /** Whether the database is distributed. Default: whether it says so. */
  isDistributed?: boolean
  /** The standard input. */
  input: Readable
  print: Print
  /** Prints an error, or the usage. */
  printError: Print
}

/** Runs an operator's command and returns its exit code. */
export async function operate(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    await run(args, surroundings)
    return 0
  } catch (error) {
    surroundings.printError(error instanceof UsageError ? usage : describeFailure(error))
    return 1
  }
}

async function run(args: readonly string[], { env, input, print, ...given }: Surroundings): Promise<void> {
  const { url, pooler, eventsKeptDays } = loadDatabaseConfig(env)
  const name = args.slice(0, 2).join(' ')
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new UsageError()
  const runCommand = command(args.slice(2))
  if (url === undefined) throw new Error('Set DATABASE_URL to the database, as for the service.')
  const { db, close } = connect({ url, maxConnections: 1, pooler, statementTimeoutMs: STATEMENT_TIMEOUT_MS })
  try {
    const context = { db, isDistributed: given.isDistributed ?? (await isDistributed(db)), eventsKeptDays }
    await runCommand({ ...context, input, print })
  } finally {
    await close()
  }
}
