import { inWork, newId } from '../db/work.js'
import type { Actor } from '../platform/actor.js'
import { calendarDate } from '../platform/calendar-date.js'
import { Faults, problem } from '../platform/problem.js'
import type { Ports } from '../ports.js'
import type { ContractInput } from './contract.schemas.js'
import { lockContract, saveContract } from './contract.store.js'
import { resolveParties } from './lookup.js'
import { agreementProblem } from './problems.js'

/** Creates a contract and answers its id. */
export async function createContract(ports: Ports, actor: Actor, input: ContractInput): Promise<string> {
  const values = await checkedContract(ports, actor, input)
  return inWork(ports.db, actor, async (work) => {
    const id = newId()
    await saveContract(work, { id, ...values })
    return id
  })
}

/**
 * Replaces a contract.
 * @throws Problem `not-found`.
 */
export async function replaceContract(
  ports: Ports,
  actor: Actor,
  id: string,
  input: ContractInput
): Promise<void> {
  const values = await checkedContract(ports, actor, input)
  await inWork(ports.db, actor, async (work) => {
    if (!(await lockContract(work, id))) throw problem('not-found', 'There is no such contract.')
    await saveContract(work, { id, ...values })
  })
}

async function checkedContract(ports: Ports, actor: Actor, input: ContractInput) {
  const faults = new Faults()
  const days = checkedPeriod(input.validityPeriod, faults)
  const [seller, account, ...buyers] = await resolveParties(ports, actor, faults, [
    { pointer: '/seller', url: input.seller, role: 'SELLER' },
    { pointer: '/account', url: input.account, role: 'ACCOUNTING' },
    ...input.buyer.map((url, at) => ({ pointer: `/buyer/${at}`, url, role: 'BUYER' as const }))
  ])
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

function checkedPeriod({ start, end }: ContractInput['validityPeriod'], faults: Faults) {
  const firstDay = calendarDate(start) ?? ''
  const lastDay = calendarDate(end) ?? ''
  const add = (member: string, detail: string) =>
    faults.add(agreementProblem, 'invalid-period', `/validityPeriod${member}`, detail)
  if (firstDay === '') add('/start', 'The calendar has no such day.')
  if (lastDay === '') add('/end', 'The calendar has no such day.')
  if (firstDay > lastDay && lastDay !== '') add('', 'The start must not lie after the end.')
  return { firstDay, lastDay }
}
