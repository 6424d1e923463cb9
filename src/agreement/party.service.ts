import { and, eq } from 'drizzle-orm'
import { invalidReferenceDetail } from '../clinical/clinical.js'
import { isClinicalReference } from '../clinical/reference.js'
import { withCopiesLocked } from '../db/copied-tables.js'
import { newId } from '../db/unit-of-work.js'
import { recordEvents } from '../events/insert.js'
import type { Actor } from '../platform/auth/actor.js'
import { FieldErrors, fieldProblem, problem } from '../platform/errors/problem.js'
import { withoutTrailingSlash } from '../platform/rest/resource-urls.js'
import { assertRevision, revisionOf } from '../platform/rest/revision.js'
import type { Ports } from '../ports.js'
import { resolveCode } from '../terminology/known-code.js'
import type { PartyInput } from './party.schemas.js'
import { agreementProblem } from './problems.js'
import { parties } from './tables.js'
import { partyChangeableBy } from './visibility.js'

/**
 * Creates a party of any organization, registered by the caller's organization, and returns its id.
 * @throws Problem `unknown-coding`, `dangling-reference`, `clinical-backend-unavailable`.
 */
export async function createParty(ports: Ports, actor: Actor, input: PartyInput): Promise<string> {
  const { clinical } = ports
  const values = validateParty(ports, input, (text) => clinical.isReference(text, 'Organization'))
  await clinical.assertExists(actor, 'Organization', values.organization, '/organization')
  return withCopiesLocked(ports, actor, async (work) => {
    const { tx, at } = work
    const id = newId()
    await tx
      .insert(parties)
      .values({ id, ...values, eventCount: 1, registeredBy: actor.organization ?? null, createdAt: at })
    await recordEvents(work, [{ type: 'party.changed', change: 'created', subjectId: id, sequence: 1 }])
    return id
  })
}

/**
 * Replaces a party that the caller may change, except its organization. The organization stays
 * valid even if its URL belongs to an earlier address of the clinical backend.
 * @throws Problem `not-found`, `precondition-failed`, `fixed-organization`, `unknown-coding`,
 * `dangling-reference`.
 */
export async function replaceParty(ports: Ports, actor: Actor, id: string, input: PartyInput): Promise<void> {
  const values = validateParty(ports, input, (text) => isClinicalReference(text, 'Organization'))
  await withCopiesLocked(ports, actor, async (work) => {
    const { tx } = work
    const [party] = await tx
      .select()
      .from(parties)
      .where(and(eq(parties.id, id), partyChangeableBy(ports, actor)))
      .for('no key update')
    if (!party) throw partyNotFound()
    assertRevision(actor, () => revisionOf(party))
    if (party.organization !== values.organization)
      throw fieldProblem(
        agreementProblem,
        'fixed-organization',
        '/organization',
        'The organization of a party cannot change. Create another party instead.'
      )
    const sequence = party.eventCount + 1
    await tx
      .update(parties)
      .set({ ...values, eventCount: sequence })
      .where(eq(parties.id, id))
    await recordEvents(work, [{ type: 'party.changed', change: 'changed', subjectId: id, sequence }])
  })
}

export const partyNotFound = () => problem('not-found', 'There is no such party.')

function validateParty({ terminology }: Ports, input: PartyInput, isOrganization: (text: string) => boolean) {
  const errors = new FieldErrors()
  const roles = input.allowedRoles.map((role, at) =>
    resolveCode(terminology, errors, 'party-role', role, `/allowedRoles/${at}`)
  )
  const organization = withoutTrailingSlash(input.organization)
  if (!isOrganization(organization))
    errors.addUnresolvedReference('/organization', invalidReferenceDetail('Organization'))
  errors.check()
  return {
    allowedRoles: [...new Set(roles)],
    name: input.name,
    email: input.email ?? null,
    organization
  }
}
