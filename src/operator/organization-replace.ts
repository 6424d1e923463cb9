import { and, eq, inArray, or } from 'drizzle-orm'
import { parties } from '../agreement/tables.js'
import { insertAuditRows } from '../audit/tables.js'
import { isClinicalReference } from '../clinical/reference.js'
import type { Database } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { replacedOrganizations } from '../db/tables.js'
import { isId, withoutTrailingSlash } from '../platform/urls/resource-urls.js'
import {
  type Command,
  type CommandContext,
  confirmOption,
  parseArguments,
  plural,
  UsageError
} from './command.js'
import { type MoveCounts, moveOrganization, type OrganizationMove } from './organization-move.js'
import { assertOwner } from './owner.js'
import { createRecorder } from './recorder.js'
import { runWithPreview } from './roll-back.js'

/**
 * `organization replace --from <url> --to <url> [--party <url>]… [--black-lists] [--confirm]`:
 * replaces an organization in all its resources by another organization, and rejects its tokens
 * from then on; with parties, replaces the organization in these parties only. The request id of
 * the audit record names the organizations.
 */
export const replaceOrganization: Command = (args) => {
  const text = { type: 'string' } as const
  const { values } = parseArguments(args, {
    ...{ from: text, to: text, party: { ...text, multiple: true, default: [] } },
    ...{ 'black-lists': { type: 'boolean', default: false }, ...confirmOption }
  })
  const [from, to] = [organizationOf(values.from), organizationOf(values.to)]
  if (from === to) throw new UsageError('--from and --to must be two organizations.')
  const move = { from, to, parties: values.party.map(partyIdOf), hasBlackLists: values['black-lists'] }
  if (move.hasBlackLists && move.parties.length === 0) throw new UsageError()
  return (context) => replace(context, move, values.confirm)
}

function organizationOf(argument: string | undefined): string {
  if (argument === undefined) throw new UsageError()
  const url = withoutTrailingSlash(argument)
  if (isClinicalReference(url, 'Organization')) return url
  throw new UsageError('An organization must be a URL: https://<server>/Organization/<id>.')
}

function partyIdOf(url: string): string {
  const [, id = ''] = /^https?:.*\/party\/([^/]*)\/?$/.exec(url) ?? []
  if (isId(id)) return id
  throw new UsageError('--party must be the URL of a party: https://<server>/…/party/<id>.')
}

async function replace(context: CommandContext, move: OrganizationMove, isConfirmed: boolean): Promise<void> {
  const { db, print } = context
  const { from, to } = move
  await assertOwner(db)
  await assertMovable(db, move)
  const { record, rowOf } = await createRecorder(context)
  const requestId = `${from} ${to}`
  if (!isConfirmed) {
    const present = await db.$count(parties, eq(parties.organization, to))
    await record({ operation: 'previewOrganizationReplacement', interaction: 'read', requestId })
    print(`${to} has ${plural(present, 'party', 'parties')} now.`)
  }
  const act = { operation: 'replaceOrganization', interaction: 'update', requestId } as const
  const counts = await runWithPreview(db, isConfirmed, async (tx) => {
    const moved = await moveOrganization(tx, move)
    await insertAuditRows(tx, [rowOf(act)])
    return moved
  })
  print(
    isConfirmed
      ? `Moved ${describe(counts)}.`
      : `Would move ${describe(counts)}. Nothing was changed. Repeat the command with --confirm.`
  )
}

/**
 * Asserts that no third organization takes part.
 * @throws Error that states the remedy.
 */
async function assertMovable(db: Database, { from, to, parties: ids }: OrganizationMove): Promise<void> {
  const both = [from, to]
  const replaced = await db
    .select()
    .from(replacedOrganizations)
    .where(inArray(replacedOrganizations.organization, both))
  const elsewhere = replaced.find(({ replacedBy }) => !both.includes(replacedBy))
  if (elsewhere)
    throw new Error(
      `${elsewhere.organization} was replaced by ${elsewhere.replacedBy}. Name that organization instead.`
    )
  const ofBoth = or(inArray(parties.organization, both), inArray(parties.registeredBy, both))
  const known = await db
    .select({ id: parties.id })
    .from(parties)
    .where(and(inIds(parties.id, ids), ofBoth))
  const foreign = ids.filter((id) => !known.some((party) => party.id === id))
  if (foreign.length > 0) throw new Error(`${from} has no party with this id: ${foreign.join(', ')}.`)
}

const describe = (counts: MoveCounts): string =>
  [
    plural(counts.parties, 'party', 'parties'),
    plural(counts.registrations, 'registration of a party', 'registrations of parties'),
    `${plural(counts.blackListEntries, 'black list entry', 'black list entries')} (${counts.doubles} doubles joined)`,
    plural(counts.subscriptions, 'subscription'),
    plural(counts.imports, 'import')
  ].join(', ')
