import { newId, withTransaction } from '../db/unit-of-work.js'
import type { Actor } from '../platform/auth/actor.js'
import { FieldErrors, problem } from '../platform/errors/problem.js'
import { calendarDate } from '../platform/util/calendar-date.js'
import type { Ports } from '../ports.js'
import type { ContractInput } from './contract.schemas.js'
import { isContractWithinReach, lockContract, saveContract } from './contract.store.js'
import { type PartyReference, resolveParties } from './lookup.js'
import { agreementProblem } from './problems.js'

/** Creates a contract and answers its id. */
export async function createContract(ports: Ports, actor: Actor, input: ContractInput): Promise<string> {
  const values = await checkedContract(ports, actor, input)
  return withTransaction(ports.db, actor, async (work) => {
    const id = newId()
    await saveContract(work, { id, ...values })
    return id
  })
}

/**
 * Replaces a contract within the caller's reach; it is so before and after.
 * @throws Problem `not-found`.
 */
export async function replaceContract(
  ports: Ports,
  actor: Actor,
  id: string,
  input: ContractInput
): Promise<void> {
  if (!(await isContractWithinReach(ports.db, actor, id))) throw contractNotFound()
  const values = await checkedContract(ports, actor, input)
  await withTransaction(ports.db, actor, async (work) => {
    if (!(await lockContract(work, id))) throw contractNotFound()
    await saveContract(work, { id, ...values })
  })
}

const contractNotFound = () => problem('not-found', 'There is no such contract.')

async function checkedContract(ports: Ports, actor: Actor, input: ContractInput) {
  const faults = new FieldErrors()
  const days = checkedPeriod(input.validityPeriod, faults)
  const [seller] = await resolveParties(ports, actor, faults, [
    { pointer: '/seller', url: input.seller, role: 'SELLER' }
  ])
  const [account, ...buyers] = await resolveOrdering(ports, actor, faults, input)
  const buyerIds = buyers.map((buyer) => buyer?.id ?? '')
  for (const [at, id] of buyerIds.entries())
    if (id !== '' && buyerIds.indexOf(id) < at)
      faults.add(agreementProblem, 'duplicate-buyer', `/buyer/${at}`, 'Name each buyer once.')
  faults.check()
  return {
    name: input.name,
    ...days,
    sellerId: seller?.id ?? '',
    accountId: account?.id ?? '',
    buyerIds,
    reminderDays: input.reminderDays ?? null
  }
}

/**
 * The account and the buyers of a contract. One of them must be of the caller's organization, unless it reaches everything: else all
 * of them are reported like parties that are not there.
 */
async function resolveOrdering(
  ports: Ports,
  actor: Actor,
  faults: FieldErrors,
  { account, buyer }: Pick<ContractInput, 'account' | 'buyer'>
) {
  const buyers = buyer.map((url, at) => ({ pointer: `/buyer/${at}`, url, role: 'BUYER' as const }))
  const wanted: PartyReference[] = [{ pointer: '/account', url: account, role: 'ACCOUNTING' }, ...buyers]
  const found = new FieldErrors()
  const parties = await resolveParties(ports, actor, found, wanted)
  if (actor.scope === 'any' || parties.some((party) => party?.organization === actor.organization)) {
    faults.append(found)
    return parties
  }
  // Buyers first: they are more likely to be meant.
  for (const pointer of [...buyers.map((each) => each.pointer), '/account'])
    faults.addUnresolvedReference(
      pointer,
      'The account or a buyer must be the URL of a party of your organization.'
    )
  return []
}

function checkedPeriod({ start, end }: ContractInput['validityPeriod'], faults: FieldErrors) {
  const firstDay = calendarDate(start) ?? ''
  const lastDay = calendarDate(end) ?? ''
  const add = (member: string, detail: string) =>
    faults.add(agreementProblem, 'invalid-period', `/validityPeriod${member}`, detail)
  if (firstDay === '') add('/start', 'The calendar has no such day.')
  if (lastDay === '') add('/end', 'The calendar has no such day.')
  if (firstDay > lastDay && lastDay !== '') add('', 'The start must not lie after the end.')
  return { firstDay, lastDay }
}
