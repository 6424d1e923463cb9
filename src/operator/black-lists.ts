import {
  listUnassigned,
  removeUnassigned,
  type ToAuditRow
} from '../catalogue/black-list/unassigned-entries.js'
import type { Database } from '../db/driver/database.js'
import { isId } from '../platform/rest/resource-urls.js'
import { type Command, type CommandContext, UsageError } from './command.js'
import { createRecorder, type OperatorAct } from './recorder.js'

/** `black-lists [remove <id>…]` */
export const blackLists: Command = (args) => {
  const [action, ...ids] = args
  if (action === undefined) return list
  if (action !== 'remove' || ids.length === 0) throw new UsageError()
  const malformed = ids.filter((id) => !isId(id))
  if (malformed.length > 0) throw new Error(`Malformed id: ${malformed.join(', ')}.`)
  return (context) => remove(context, [...new Set(ids)])
}

async function list({ db, print }: CommandContext): Promise<void> {
  const toRow = await rowMaker(db, { operation: 'listUnassignedBlackLists', interaction: 'search-type' })
  const entries = await listUnassigned(db, toRow)
  for (const { id, createdAt, patient, item } of entries)
    print([id, createdAt.toISOString(), patient, JSON.stringify(item)].join('\t'))
  print(`Black list entries without an organization: ${entries.length}.`)
}

async function remove({ db, print }: CommandContext, ids: readonly string[]): Promise<void> {
  const act = { operation: 'removeUnassignedBlackLists', interaction: 'delete' } as const
  await removeUnassigned(db, ids, await rowMaker(db, act))
  print(`Removed: ${ids.length}.`)
}

async function rowMaker(db: Database, act: OperatorAct): Promise<ToAuditRow> {
  const { rowOf } = await createRecorder(db)
  return (patients) =>
    rowOf(
      act,
      [...new Set(patients)].map((patient) => ({ patient, order: null }))
    )
}
