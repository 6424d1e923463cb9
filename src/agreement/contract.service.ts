import { newId, withTransaction } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import type { Words } from '../platform/errors/language.js'
import { FieldErrors, problem } from '../platform/errors/problem.js'
import { assertRevision, revisionOf } from '../platform/rest/revision.js'
import { calendarDate } from '../platform/util/calendar-date.js'
import type { Ports } from '../ports.js'
import type { ContractInput } from './contract.schemas.js'
import { contractNotFound, loadContract, lockContract, saveContract } from './contract.store.js'
import { type PartyReference, resolveParties } from './lookup.js'
import { agreementProblem } from './problems.js'
import { contractChangeableBy } from './visibility.js'

/**
 * Creates a contract and returns its id.
 * @throws Problem `dangling-reference`, `wrong-role`, `invalid-period`, `duplicate-buyer`.
 */
export async function createContract(ports: Ports, call: Call, input: ContractInput): Promise<string> {
  const values = await validateContract(ports, call, input)
  return withTransaction(ports, call, async (work) => {
    const id = newId(call)
    await saveContract(work, 'created', { id, ...values })
    return id
  })
}

/**
 * Replaces a contract, which must be visible to the caller before and after.
 * @throws Problem `not-found`, `precondition-failed`, and those of {@link createContract}.
 */
export async function replaceContract(
  ports: Ports,
  call: Call,
  id: string,
  input: ContractInput
): Promise<void> {
  if (!(await loadContract(ports.db, id, contractChangeableBy(call)))) throw contractNotFound()
  const values = await validateContract(ports, call, input)
  await withTransaction(ports, call, async (work) => {
    const stored = await lockContract(work, id)
    if (!stored) throw contractNotFound()
    assertRevision(call, () => revisionOf(stored))
    await saveContract(work, 'changed', { id, ...values })
  })
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
      errors.add(agreementProblem, 'duplicate-buyer', `/buyer/${at}`, {
        en: 'It must name each buyer only once.',
        da: 'Det må kun nævne hver køber én gang.'
      })
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
 * them must belong to the caller's organization; otherwise all are reported like unknown parties.
 */
async function resolveAccountAndBuyers(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  { account, buyer }: Pick<ContractInput, 'account' | 'buyer'>
) {
  const buyers = buyer.map((url, at) => ({ pointer: `/buyer/${at}`, url, role: 'BUYER' as const }))
  const references: PartyReference[] = [{ pointer: '/account', url: account, role: 'ACCOUNTING' }, ...buyers]
  const found = new FieldErrors()
  const parties = await resolveParties(ports, call, found, references)
  if (call.scope === 'any' || parties.some((party) => party?.organization === call.caller.organization)) {
    errors.append(found)
    return parties
  }
  // Buyers first: they are more likely the mistake.
  for (const pointer of [...buyers.map((each) => each.pointer), '/account'])
    errors.addUnresolvedReference(pointer, {
      en: 'It, or another of the account and the buyers, must be the URL of a party of your organization.',
      da: 'Det eller en anden af betaler og købere skal være adressen på en part i din organisation.'
    })
  return []
}

const missingDate: Words = { en: 'It must be a date that exists.', da: 'Det skal være en dato, der findes.' }

function validatePeriod({ start, end }: ContractInput['validityPeriod'], errors: FieldErrors) {
  const firstDay = calendarDate(start) ?? ''
  const lastDay = calendarDate(end) ?? ''
  const add = (member: string, detail: Words) =>
    errors.add(problem, 'invalid-period', `/validityPeriod${member}`, detail)
  if (firstDay === '') add('/start', missingDate)
  if (lastDay === '') add('/end', missingDate)
  if (firstDay > lastDay && lastDay !== '')
    add('', {
      en: 'Its start must not be after its end.',
      da: 'Dets start må ikke være efter dets slutning.'
    })
  return { firstDay, lastDay }
}
