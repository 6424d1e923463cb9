import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { connect } from '../db/driver/database.js'
import { describeFailure } from '../platform/errors/describe-failure.js'
import { loadDatabaseConfig } from '../settings/load.js'
import { type Command, type Print, UsageError } from './command.js'
import { checkCopies } from './copies.js'
import { exportPatient } from './export/patient-export.js'
import { replaceOrganization } from './organization-replace.js'
import { erasePatient } from './patient-erase.js'
import { replacePatient } from './patient-replace.js'
import { STATEMENT_TIMEOUT_MS } from './recorder.js'
import { removeExpiredEvents, removeExpiredRecords } from './retention-months.js'
import { removeExpiredOrders } from './retention-orders.js'

const program = 'node dist/program/main.js operator'

const usage = `Usage: ${program} <command>

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
      Erases a patient from its closed orders and the black lists, removes its former references, and clears the serial
      numbers, lot numbers and UDIs of its devices unless they are kept.
  patient replace --from <reference> --to <reference> [--confirm]
      Replaces the reference to a patient by another one in orders and black lists. From then on the former reference
      counts as the new one. The replacement the other way round takes it back.
  organization replace --from <organization> --to <organization> [--party <url>]… [--black-lists] [--confirm]
      Gives everything of an organization that was merged to another one, and rejects its tokens from then on. With --party
      gives only these parties, and with --black-lists copies of the black list entries.
  check
      Compares the columns that decide who sees orders, lines and devices, and when orders are due, with their sources.
      Fails when one differs.

An organization is the URL of the clinical Organization. A reference is that of the Patient; - reads it from a line of
the standard input. Without --confirm a command that takes it changes nothing and shows what it would do. retention,
patient erase, patient replace and organization replace require the owner of the tables.
The exit code is 0 after success, 1 if the command failed or check found a difference, and 2 for wrong arguments.
Set DATABASE_URL, DATABASE_POOLER and EVENTS_KEPT as for the service. Without DATABASE_URL the command uses the
embedded PostgreSQL that runs on DATA_DIR, if ENVIRONMENT is devtest, the default. Writes an audit record.`

const commands: Readonly<Record<string, Command>> = {
  'retention audit': removeExpiredRecords,
  'retention events': removeExpiredEvents,
  'retention orders': removeExpiredOrders,
  'patient export': exportPatient,
  'patient erase': erasePatient,
  'patient replace': replacePatient,
  'organization replace': replaceOrganization,
  check: checkCopies
}

/** The process environment of an operator's command. */
interface Surroundings {
  /** Default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>>
  input: Readable
  /** Finds the URL of the embedded database that runs on a data folder. Default: none. */
  findEmbedded?: (dataDir: string) => Promise<string | undefined>
  print: Print
  /** Prints an error, or which embedded database is used. */
  printError: Print
}

/** Runs an operator's command and returns its exit code: 2 for invalid arguments. */
export async function operate(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    if (args.includes('--help')) surroundings.print(usage)
    else await run(args, surroundings)
    return 0
  } catch (error) {
    const isUsage = error instanceof UsageError
    surroundings.printError(isUsage ? error.message || usageLine(args) : describeFailure(error))
    return isUsage ? 2 : 1
  }
}

/** The name of the command: the first argument, or the first two. */
function nameIn(args: readonly string[]): string {
  const [first = ''] = args
  return Object.hasOwn(commands, first) ? first : args.slice(0, 2).join(' ')
}

/** The line of the usage about the command, or the names of all commands. Quotes no argument. */
function usageLine(args: readonly string[]): string {
  const name = nameIn(args)
  const line = Object.hasOwn(commands, name) && usage.split('\n').find((each) => each.startsWith(`  ${name}`))
  const synopsis = line ? line.trim() : `<command>, one of ${Object.keys(commands).join(', ')}`
  return `Usage: ${program} ${synopsis} (--help describes the commands)`
}

async function run(args: readonly string[], surroundings: Surroundings): Promise<void> {
  const { env, input, print } = surroundings
  const { url: givenUrl, dataDir, pooler, eventsKeptDays, sudoUser } = loadDatabaseConfig(env)
  const name = nameIn(args)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new UsageError()
  const runCommand = command(args.slice(name.split(' ').length))
  const url = givenUrl ?? (await embeddedUrl(dataDir, surroundings))
  const { db, close } = connect({ url, maxConnections: 1, pooler, statementTimeoutMs: STATEMENT_TIMEOUT_MS })
  try {
    await runCommand({ db, account: sudoUser ?? accountName(), eventsKeptDays, input, print })
  } finally {
    await close()
  }
}

/**
 * The URL of the embedded database that runs on a data folder. Prints the folder, so that an
 * operator without DATABASE_URL sees which database the command uses.
 * @param dataDir undefined outside devtest.
 * @throws Error with a message that states the remedy.
 */
async function embeddedUrl(
  dataDir: string | undefined,
  { findEmbedded, printError }: Surroundings
): Promise<string> {
  const remedy = 'Set DATABASE_URL to the database, as for the service.'
  if (dataDir === undefined) throw new Error(remedy)
  const folder = resolve(dataDir)
  const url = await findEmbedded?.(folder)
  if (url === undefined) throw new Error(`${remedy} No embedded PostgreSQL runs on ${folder}.`)
  printError(`DATABASE_URL is not set. The command uses the embedded PostgreSQL on ${folder}.`)
  return url
}

/** The name of the account, or its uid when it has no name, as in some containers. */
function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
