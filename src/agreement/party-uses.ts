import { and, eq, gte, sql } from 'drizzle-orm'
import type { Language, Words } from '../platform/errors/language.js'
import { FieldErrors } from '../platform/errors/problem.js'
import type { Ports } from '../ports.js'
import type { PartyUse } from './lookup.js'
import type { Role } from './party.schemas.js'
import { agreementProblem } from './problems.js'
import { contractBuyers, contracts } from './tables.js'

/** A contract that has not ended; it may begin later. */
const inContracts: PartyUse = {
  what: { en: 'contracts that have not ended', da: 'kontrakter, der ikke er udløbet' },
  async exists(db, partyId, role, today) {
    const named = {
      SELLER: eq(contracts.sellerId, partyId),
      ACCOUNTING: eq(contracts.accountId, partyId),
      BUYER: sql`exists (select from ${contractBuyers}
        where ${contractBuyers.contractId} = ${contracts.id} and ${contractBuyers.buyerId} = ${partyId})`
    }
    const rows = await db
      .select({ id: contracts.id })
      .from(contracts)
      .where(and(named[role], gte(contracts.lastDay, today)))
      .limit(1)
    return rows.length > 0
  }
}

const listed = (texts: readonly Words[], language: Language) =>
  new Intl.ListFormat(language === 'en' ? 'en-GB' : 'da').format(texts.map((each) => each[language]))

/**
 * Asserts that nothing needs a party in roles that it loses. What begins to need it at the same
 * time is not found; an order is refused later then, because its parties must have their roles.
 * @param uses those of other modules.
 * @throws Problem `party-in-use`.
 */
export async function assertUnused(
  { db, today }: Pick<Ports, 'db' | 'today'>,
  partyId: string,
  lostRoles: readonly Role[],
  uses: readonly PartyUse[]
): Promise<void> {
  const errors = new FieldErrors()
  for (const role of lostRoles) {
    const found: Words[] = []
    for (const { what, exists } of [...uses, inContracts])
      if (await exists(db, partyId, role, today())) found.push(what)
    if (found.length > 0)
      errors.add(agreementProblem, 'party-in-use', '/allowedRoles', {
        en: `It must keep the role ${role} for ${listed(found, 'en')}.`,
        da: `Det skal beholde rollen ${role} til ${listed(found, 'da')}.`
      })
  }
  errors.check()
}
