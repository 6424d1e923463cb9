import { eq, sql } from 'drizzle-orm'
import { insertAll } from '../db/sql/insert-all.js'
import { newId, type UnitOfWork, unitOfWork } from '../db/unit-of-work.js'
import { recordEvents } from '../ledger/insert.js'
import type { Call } from '../platform/auth/call.js'
import { calendarDate } from '../platform/dates/calendar-date.js'
import { FieldErrors } from '../platform/errors/field-errors.js'
import { assertRevision, revisionOf } from '../platform/rest/revision.js'
import { formUnlessIn } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import { loadContract } from './contract.queries.js'
import type { ContractInput } from './contract.schemas.js'
import { resolveParties } from './lookup.js'
import { partyResource } from './resources.js'
import { contractBuyers, contracts } from './tables.js'
import { agreementProblem } from './texts.js'
import { contractChangeableBy } from './visibility.js'

/**
 * Creates a contract and returns its id.
 * @throws Problem `dangling-reference`, `wrong-role`, `invalid-period`, `duplicate-buyer`.
 */
export async function createContract(ports: Ports, call: Call, input: ContractInput): Promise<string> {
  const values = await validateContract(ports, call, input)
  return unitOfWork(ports, call, async (work) => {
    const id = newId()
    await saveContract(work, 'created', id, values)
    return id
  })
}

/**
 * Replaces a contract, which must be visible to the caller before and after the change.
 * @throws Problem `not-found`, `precondition-failed`, and those of {@link createContract}.
 */
export async function replaceContract(
  ports: Ports,
  call: Call,
  id: string,
  input: ContractInput
): Promise<void> {
  const changeable = contractChangeableBy(call)
  await loadContract(ports.db, id, changeable)
  const values = await validateContract(ports, call, input)
  await unitOfWork(ports, call, async (work) => {
    const { tx } = work
    await tx.select({ id: contracts.id }).from(contracts).where(eq(contracts.id, id)).for('update')
    // Only a statement that begins after the lock sees the buyers that were written before it.
    const stored = await loadContract(tx, id, changeable)
    assertRevision(call, () => revisionOf(stored))
    await saveContract(work, 'changed', id, values)
  })
}

type ContractValues = Awaited<ReturnType<typeof validateContract>>

/** Inserts or replaces a contract and its buyers, with its event. */
async function saveContract(
  work: UnitOfWork,
  change: 'created' | 'changed',
  id: string,
  { buyerIds, ...contract }: ContractValues
): Promise<void> {
  const { tx, at } = work
  const [row] = await tx
    .insert(contracts)
    .values({ id, ...contract, eventCount: 1, createdAt: at })
    .onConflictDoUpdate({
      target: contracts.id,
      set: { ...contract, eventCount: sql`${contracts.eventCount} + 1` }
    })
    .returning({ sequence: contracts.eventCount })
  await tx.delete(contractBuyers).where(eq(contractBuyers.contractId, id))
  const buyers = buyerIds.map((buyerId, position) => ({ contractId: id, position, buyerId }))
  await insertAll(tx, contractBuyers, buyers)
  await recordEvents(work, [
    { type: 'contract.changed', change, subjectId: id, sequence: row?.sequence ?? 0 }
  ])
}

async function validateContract(ports: Ports, call: Call, input: ContractInput) {
  const errors = new FieldErrors()
  const days = validatePeriod(input.validityPeriod, errors)
  const [seller] = await resolveParties(ports, call, errors, [
    { pointer: '/seller', url: input.seller, role: 'SELLER' }
  ])
  const [account, ...buyers] = await resolveAccountAndBuyers(ports, call, errors, input)
  const buyerIds = buyers.map((buyer) => buyer?.id ?? '')
  for (const [at, id] of buyerIds.entries())
    if (id !== '' && buyerIds.indexOf(id) < at)
      errors.add(agreementProblem('duplicate-buyer', `/buyer/${at}`))
  errors.check()
  return {
    name: input.name,
    ...days,
    sellerId: seller?.id ?? '',
    accountId: account?.id ?? '',
    buyerIds,
    reminderDays: input.reminderDays ?? null,
    expiryReminderDays: input.expiryReminderDays ?? null,
    answerDays: input.answerDays ?? null
  }
}

/**
 * Resolves the account and the buyers of a contract. Unless the caller has the scope `any`, one of
 * these parties must belong to the caller's organization. Otherwise all parties are reported with
 * the same error.
 */
async function resolveAccountAndBuyers(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  { account, buyer }: Pick<ContractInput, 'account' | 'buyer'>
) {
  const buyers = buyer.map((url, at) => ({ pointer: `/buyer/${at}`, url, role: 'BUYER' as const }))
  const payer = { pointer: '/account', url: account, role: 'ACCOUNTING' } as const
  const found = new FieldErrors()
  const parties = await resolveParties(ports, call, found, [payer, ...buyers])
  if (call.scope === 'any' || parties.some((party) => party?.organization === call.caller.organization)) {
    errors.append(found)
    return parties
  }
  // Buyers first, because a wrong buyer is the more likely mistake.
  for (const { pointer, url } of [...buyers, payer]) {
    const form = formUnlessIn(ports.resourceUrls, partyResource, url)
    errors.add(agreementProblem('dangling-reference.foreignContract', pointer, { form }))
  }
  return []
}

function validatePeriod({ start, end }: ContractInput['validityPeriod'], errors: FieldErrors) {
  const firstDay = calendarDate(start) ?? ''
  const lastDay = calendarDate(end) ?? ''
  if (firstDay === '') errors.add(agreementProblem('invalid-period.noDate', '/validityPeriod/start'))
  if (lastDay === '') errors.add(agreementProblem('invalid-period.noDate', '/validityPeriod/end'))
  if (firstDay > lastDay && lastDay !== '')
    errors.add(agreementProblem('invalid-period.endBeforeStart', '/validityPeriod'))
  return { firstDay, lastDay }
}
