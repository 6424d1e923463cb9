import { and, eq } from 'drizzle-orm'
import { invalidClinicalReference, isClinicalReference } from '../clinical/reference.js'
import { newId, unitOfWork } from '../db/unit-of-work.js'
import { recordEvents } from '../ledger/insert.js'
import type { Call } from '../platform/auth/call.js'
import { FieldErrors } from '../platform/errors/field-errors.js'
import { problem } from '../platform/errors/problem.js'
import { assertRevision, revisionOf } from '../platform/rest/revision.js'
import { withoutTrailingSlash } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import { resolveCode } from '../terminology/known-code.js'
import { type PartyUse, selectParties } from './lookup.js'
import type { PartyInput, Role } from './party.schemas.js'
import { checkUnused } from './party-uses.js'
import { parties } from './tables.js'
import { agreementProblem } from './texts.js'
import { partyChangeableBy } from './visibility.js'

/**
 * Creates a party, registered by the caller's organization, and returns its id. A party of another
 * organization can only be a seller, unless the caller has the scope `any`.
 * @throws Problem `unknown-coding`, `dangling-reference`, `clinical-backend-unavailable`.
 */
export async function createParty(ports: Ports, call: Call, input: PartyInput): Promise<string> {
  const { clinical, replacedOrganizations } = ports
  const errors = new FieldErrors()
  const values = validateParty(ports, errors, input)
  const { allowedRoles, organization } = values
  const replacement = replacedOrganizations.replacementOf(organization)
  if (!clinical.isReference(organization, 'Organization')) errors.add(invalidOrganization())
  else if (replacement === undefined) checkRoles(call, errors, organization, allowedRoles)
  else errors.add(agreementProblem('dangling-reference.replaced', '/organization', { replacement }))
  errors.check()
  await clinical.assertExists(call, 'Organization', organization, '/organization')
  return unitOfWork(ports, call, async (work) => {
    const { tx, at } = work
    const id = newId()
    await tx
      .insert(parties)
      .values({ id, ...values, eventCount: 1, registeredBy: call.caller.organization ?? null, createdAt: at })
    await recordEvents(work, [{ type: 'party.changed', change: 'created', subjectId: id, sequence: 1 }])
    return id
  })
}

/**
 * Replaces a party that the caller may change, except its organization. A party of another
 * organization can only have the role SELLER, unless the caller has the scope `any`. The
 * organization stays valid even if its URL belongs to an earlier address of the clinical backend.
 * @param uses the uses of parties by other modules.
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
  const changeable = and(eq(parties.id, id), partyChangeableBy(call))
  const [before] = await selectParties(ports.db).where(changeable)
  if (!before) throw problem('not-found')
  const errors = new FieldErrors()
  const values = validateParty(ports, errors, input)
  const { allowedRoles, organization } = values
  if (!isClinicalReference(organization, 'Organization')) errors.add(invalidOrganization())
  const lost = before.allowedRoles.filter((role) => !allowedRoles.includes(role))
  await checkUnused(ports, call, errors, id, lost as Role[], uses)
  await unitOfWork(ports, call, async (work) => {
    const { tx } = work
    const [party] = await selectParties(tx).where(changeable).for('no key update')
    if (!party) throw problem('not-found')
    assertRevision(call, () => revisionOf(party))
    const gained = allowedRoles.filter((role) => !party.allowedRoles.includes(role))
    if (party.organization === organization) checkRoles(call, errors, organization, gained)
    else errors.add(agreementProblem('fixed-organization', '/organization'))
    errors.check()
    const sequence = party.eventCount + 1
    await tx
      .update(parties)
      .set({ ...values, eventCount: sequence })
      .where(eq(parties.id, id))
    await recordEvents(work, [{ type: 'party.changed', change: 'changed', subjectId: id, sequence }])
  })
}

function validateParty({ terminology }: Ports, errors: FieldErrors, input: PartyInput) {
  const roles = input.allowedRoles.map((role, at) =>
    resolveCode(terminology, errors, 'party-role', role, `/allowedRoles/${at}`)
  )
  return {
    allowedRoles: [...new Set(roles)],
    name: input.name,
    email: input.email ?? null,
    organization: withoutTrailingSlash(input.organization)
  }
}

const invalidOrganization = () => invalidClinicalReference('Organization', '/organization')

/**
 * Adds an error if a party of another organization gets another role than SELLER. Only clerks of
 * that organization may give such a role, because buyers order and accounting parties pay for their
 * organization.
 */
function checkRoles(
  { scope, caller }: Call,
  errors: FieldErrors,
  organization: string,
  gained: readonly string[]
): void {
  if (scope === 'any' || organization === caller.organization) return
  if (gained.some((role) => role === 'BUYER' || role === 'ACCOUNTING'))
    errors.add(agreementProblem('dangling-reference.foreignRole', '/organization'))
}
