import { and, eq, gte } from 'drizzle-orm'
import type { Call } from '../platform/auth/call.js'
import { isAuthorized } from '../platform/auth/scope.js'
import type { FieldErrors } from '../platform/errors/field-errors.js'
import { fill, inEachLanguage, type LocalizedText } from '../platform/errors/language.js'
import type { Ports } from '../ports.js'
import { contractRead } from './agreement.access.js'
import type { PartyUse } from './lookup.js'
import type { Role } from './party.schemas.js'
import { contractResource } from './resources.js'
import { contracts } from './tables.js'
import { agreementProblem, agreementTexts } from './texts.js'
import { hasBuyer } from './visibility.js'

/** Maximum number of contracts that the text of an error names. */
const MAX_NAMED = 5

/**
 * Describes the contracts in which a party has a role and that have not ended, including contracts
 * that begin later. Names them if the caller may read contracts. Undefined without a contract.
 */
async function describeContracts(
  { db, today, resourceUrls }: UsePorts,
  { caller }: Call,
  partyId: string,
  role: Role
): Promise<LocalizedText | undefined> {
  const named = {
    SELLER: eq(contracts.sellerId, partyId),
    ACCOUNTING: eq(contracts.accountId, partyId),
    BUYER: hasBuyer(partyId)
  }
  const found = await db
    .select({ id: contracts.id, name: contracts.name })
    .from(contracts)
    .where(and(named[role], gte(contracts.lastDay, today())))
    .orderBy(contracts.id)
    .limit(MAX_NAMED + 1)
  if (found.length === 0) return undefined
  if (!isAuthorized(caller, contractRead)) return agreementTexts.contracts
  const { namedContract, namedContracts, namedAndOtherContracts } = agreementTexts
  const contractNames = found
    .slice(0, MAX_NAMED)
    .map(({ id, name }) => fill(namedContract, { name, url: resourceUrls.url(contractResource, id) }))
  const names = inEachLanguage((language) => contractNames.map((each) => each[language]).join(', '))
  return fill(found.length > MAX_NAMED ? namedAndOtherContracts : namedContracts, { names })
}

const listOf = (texts: readonly LocalizedText[]): LocalizedText =>
  inEachLanguage((language) =>
    new Intl.ListFormat(language === 'en' ? 'en-GB' : 'da').format(texts.map((each) => each[language]))
  )

type UsePorts = Pick<Ports, 'db' | 'today' | 'resourceUrls'>

/**
 * Adds the error `party-in-use` for each role that a party loses although it is in use. A use that
 * begins at the same time is not found. The order of such a use is rejected later, because the
 * parties of an order must have their roles.
 * @param uses the uses of other modules.
 */
export async function checkUnused(
  ports: UsePorts,
  call: Call,
  errors: FieldErrors,
  partyId: string,
  lostRoles: readonly Role[],
  uses: readonly PartyUse[]
): Promise<void> {
  for (const role of lostRoles) {
    const found: LocalizedText[] = []
    for (const { what, exists } of uses) if (await exists(ports.db, partyId, role)) found.push(what)
    const unended = await describeContracts(ports, call, partyId, role)
    if (unended) found.push(unended)
    if (found.length > 0)
      errors.add(agreementProblem('party-in-use.role', '/allowedRoles', { role, uses: listOf(found) }))
  }
}
