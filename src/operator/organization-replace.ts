import { and, eq, inArray, or, TransactionRollbackError } from 'drizzle-orm'
import { parties } from '../agreement/tables.js'
import { insertAuditRows } from '../audit/tables.js'
import { isClinicalReference } from '../clinical/reference.js'
import type { Database } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { replacedOrganizations } from '../db/tables.js'
import { unitOfWork } from '../db/unit-of-work.js'
import { isId, withoutTrailingSlash } from '../platform/urls/resource-urls.js'
import { type Command, type CommandContext, confirmOption, parse, plural, UsageError } from './command.js'
import { type Move, type MoveCounts, moveOrganization } from './organization-move.js'
import { assertOwner } from './owner.js'
import { createRecorder, type Recorder } from './recorder.js'

/**
 * `organization replace --from <url> --to <url> [--party <url>]… [--black-lists] [--confirm]`:
 * gives everything of an organization to another one, and refuses its tokens from then on; with
 * parties only those. The request id of the audit record names the organizations.
 */
export const replaceOrganization: Command = (args) => {
  const text = { type: 'string' } as const
  const { values } = parse(args, {
    ...{ from: text, to: text, party: { ...text, multiple: true, default: [] } },
    ...{ 'black-lists': { type: 'boolean', default: false }, ...confirmOption }
  })
  const [from, to] = [organizationOf(values.from), organizationOf(values.to)]
  if (from === to) throw new Error('--from and --to must be two organizations.')
  const move = { from, to, parties: values.party.map(partyIdOf), hasBlackLists: values['black-lists'] }
  if (move.hasBlackLists && move.parties.length === 0) throw new UsageError()
  return (context) => replace(context, move, values.confirm)
}

function organizationOf(argument: string | undefined): string {
  if (argument === undefined) throw new UsageError()
  const url = withoutTrailingSlash(argument)
  if (isClinicalReference(url, 'Organization')) return url
  throw new Error('An organization must be a URL: https://<server>/Organization/<id>.')
}

function partyIdOf(url: string): string {
  const [, id = ''] = /^https?:.*\/party\/([^/]*)\/?$/.exec(url) ?? []
  if (isId(id)) return id
  throw new Error('--party must be the URL of a party: https://<server>/…/party/<id>.')
}

async function replace(context: CommandContext, move: Move, isConfirmed: boolean): Promise<void> {
  const { db, print } = context
  const { from, to } = move
  await assertOwner(db)
  await assertMovable(db, move)
  const recorder = await createRecorder(context)
  const requestId = `${from} ${to}`
  if (isConfirmed) {
    const act = { operation: 'replaceOrganization', interaction: 'update', requestId } as const
    return print(`Moved ${describe(await run(context, move, recorder.rowOf(act)))}.`)
  }
  const present = await db.$count(parties, eq(parties.organization, to))
  await recorder.record({ operation: 'previewOrganizationReplacement', interaction: 'read', requestId })
  print(`${to} has ${plural(present, 'party', 'parties')} now.`)
  print(`Would move ${describe(await run(context, move))}. Nothing was changed: repeat it with --confirm.`)
}

/**
 * Asserts that no third organization takes part.
 * @throws Error that tells what to do.
 */
async function assertMovable(db: Database, { from, to, parties: ids }: Move): Promise<void> {
  const both = [from, to]
  const replaced = await db
    .select()
    .from(replacedOrganizations)
    .where(inArray(replacedOrganizations.organization, both))
  const elsewhere = replaced.find(({ replacedBy }) => !both.includes(replacedBy))
  if (elsewhere)
    throw new Error(
      `${elsewhere.organization} was replaced by ${elsewhere.replacedBy}. Name that one instead.`
    )
  const ofBoth = or(inArray(parties.organization, both), inArray(parties.registeredBy, both))
  const known = await db
    .select({ id: parties.id })
    .from(parties)
    .where(and(inIds(parties.id, ids), ofBoth))
  const foreign = ids.filter((id) => !known.some((party) => party.id === id))
  if (foreign.length > 0) throw new Error(`${from} has no party with this id: ${foreign.join(', ')}.`)
}

/** Moves, and returns how much. Without a record it is rolled back, and only tells how much. */
async function run(
  { db }: CommandContext,
  move: Move,
  record?: ReturnType<Recorder['rowOf']>
): Promise<MoveCounts> {
  let counts: MoveCounts | undefined
  try {
    await unitOfWork({ db }, null, async ({ tx }) => {
      counts = await moveOrganization(tx, move)
      if (!record) throw new TransactionRollbackError()
      await insertAuditRows(tx, [record])
    })
  } catch (error) {
    if (!(error instanceof TransactionRollbackError)) throw error
  }
  if (!counts) throw new Error('The transaction ended without a result.')
  return counts
}

const describe = (counts: MoveCounts): string =>
  [
    plural(counts.parties, 'party', 'parties'),
    plural(counts.registrations, 'registration of a party', 'registrations of parties'),
    `${plural(counts.blackListEntries, 'black list entry', 'black list entries')} (${counts.doubles} doubles joined)`,
    plural(counts.subscriptions, 'subscription'),
    plural(counts.imports, 'import')
  ].join(', ')
