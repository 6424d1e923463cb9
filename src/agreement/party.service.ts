import { and, eq } from 'drizzle-orm'
import { invalidReferenceDetail } from '../clinical/clinical.js'
import { isClinicalReference } from '../clinical/reference.js'
import { newId, withTransaction } from '../db/unit-of-work.js'
import { recordEvents } from '../ledger/insert.js'
import type { Call } from '../platform/auth/call.js'
import type { Words } from '../platform/errors/language.js'
import { FieldErrors, fieldProblem, problem } from '../platform/errors/problem.js'
import { assertRevision, revisionOf } from '../platform/rest/revision.js'
import { withoutTrailingSlash } from '../platform/util/resource-urls.js'
import type { Ports } from '../ports.js'
import { resolveCode } from '../terminology/known-code.js'
import type { PartyUse } from './lookup.js'
import type { PartyInput, Role } from './party.schemas.js'
import { assertUnused } from './party-uses.js'
import { agreementProblem } from './problems.js'
import { parties } from './tables.js'
import { partyChangeableBy } from './visibility.js'

/**
 * Creates a party, registered by the caller's organization, and returns its id. A party of another
 * organization is a seller only, unless the caller has the scope `any`.
 * @throws Problem `unknown-coding`, `dangling-reference`, `clinical-backend-unavailable`.
 */
export async function createParty(ports: Ports, call: Call, input: PartyInput): Promise<string> {
  const { clinical, replacedOrganizations } = ports
  const values = validateParty(ports, input, (url, roles) => {
    if (!clinical.isReference(url, 'Organization')) return invalidOrganization
    const replacement = replacedOrganizations.replacementOf(url)
    return replacement === undefined ? describeForeignRole(call, url, roles) : replacedBy(replacement)
  })
  await clinical.assertExists(call, 'Organization', values.organization, '/organization')
  return withTransaction(ports, call, async (work) => {
    const { tx, at } = work
    const id = newId(call)
    await tx
      .insert(parties)
      .values({ id, ...values, eventCount: 1, registeredBy: call.caller.organization ?? null, createdAt: at })
    await recordEvents(work, [{ type: 'party.changed', change: 'created', subjectId: id, sequence: 1 }])
    return id
  })
}

/**
 * Replaces a party that the caller may change, except its organization. A party of another
 * organization gets no role but SELLER, unless the caller has the scope `any`. The organization
 * stays valid even if its URL belongs to an earlier address of the clinical backend.
 * @param uses what needs parties, of other modules.
 * @throws Problem `not-found`, `party-in-use`, `precondition-failed`, `fixed-organization`,
 * `unknown-coding`, `dangling-reference`.
 */
export async function replaceParty(
  ports: Ports,
  call: Call,
  id: string,
  input: PartyInput,
  uses: readonly PartyUse[]
): Promise<void> {
  const values = validateParty(ports, input, (url) =>
    isClinicalReference(url, 'Organization') ? undefined : invalidOrganization
  )
  const changeable = and(eq(parties.id, id), partyChangeableBy(call))
  const [before] = await ports.db.select().from(parties).where(changeable)
  if (!before) throw partyNotFound()
  // Not in the transaction: a distributed database reads no orders after it has locked copied rows.
  const lost = before.allowedRoles.filter((role) => !values.allowedRoles.includes(role))
  await assertUnused(ports, id, lost as Role[], uses)
  await withTransaction(ports, call, async (work) => {
    const { tx } = work
    const [party] = await tx.select().from(parties).where(changeable).for('no key update')
    if (!party) throw partyNotFound()
    assertRevision(call, () => revisionOf(party))
    if (party.organization !== values.organization)
      throw fieldProblem(agreementProblem, 'fixed-organization', '/organization')
    const fault = describeForeignRole(call, party.organization, values.allowedRoles, party.allowedRoles)
    if (fault) throw fieldProblem(problem, 'dangling-reference', '/organization', fault)
    const sequence = party.eventCount + 1
    await tx
      .update(parties)
      .set({ ...values, eventCount: sequence })
      .where(eq(parties.id, id))
    await recordEvents(work, [{ type: 'party.changed', change: 'changed', subjectId: id, sequence }])
  })
}

const replacedBy = (replacement: string): Words => ({
  en: `It was replaced by ${replacement}.`,
  da: `Den er afløst af ${replacement}.`
})

const invalidOrganization = invalidReferenceDetail('Organization')

/**
 * Describes the fault of a party of another organization with a role that only its own clerks may
 * give: buyers order and accounting parties pay for their organization.
 * @param former roles of the party, which it may keep.
 */
function describeForeignRole(
  { scope, caller: { organization: own } }: Call,
  organization: string,
  roles: readonly string[],
  former: readonly string[] = []
): Words | undefined {
  if (scope === 'any' || organization === own) return undefined
  const isForeign = roles.some((role) => ['BUYER', 'ACCOUNTING'].includes(role) && !former.includes(role))
  return isForeign ? foreignRole : undefined
}

const foreignRole: Words = {
  en: 'It must be the URL of your organization, unless the only role is SELLER.',
  da: 'Det skal være adressen på din organisation, medmindre den eneste rolle er SELLER.'
}

export const partyNotFound = () => problem('not-found')

function validateParty(
  { terminology }: Ports,
  input: PartyInput,
  faultOf: (organization: string, roles: readonly string[]) => Words | undefined
) {
  const errors = new FieldErrors()
  const roles = input.allowedRoles.map((role, at) =>
    resolveCode(terminology, errors, 'party-role', role, `/allowedRoles/${at}`)
  )
  const organization = withoutTrailingSlash(input.organization)
  const fault = faultOf(organization, roles)
  if (fault) errors.addUnresolvedReference('/organization', fault)
  errors.check()
  return {
    allowedRoles: [...new Set(roles)],
    name: input.name,
    email: input.email ?? null,
    organization
  }
}
