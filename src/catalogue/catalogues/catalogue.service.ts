import { changeableSellers, resolveParties } from '../../agreement/lookup.js'
import { newId, unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { problem } from '../../platform/errors/problem.js'
import { assertRevision, revisionOf } from '../../platform/rest/revision.js'
import { identifiersOf } from '../../platform/text/numbers.js'
import type { Ports } from '../../ports.js'
import { resolveCode } from '../../terminology/known-code.js'
import { catalogueProblem } from '../problems.js'
import { findCatalogue, lockCatalogue } from '../visibility.js'
import type { CatalogueInput } from './catalogue.schemas.js'
import { insertCatalogue, relatesToOtherCatalogues, updateCatalogue } from './catalogue.store.js'

/**
 * Creates a catalogue and returns its id.
 * @throws Problem `dangling-reference`, `wrong-role`, `unknown-coding`.
 */
export async function createCatalogue(ports: Ports, call: Call, input: CatalogueInput): Promise<string> {
  const errors = new FieldErrors()
  const values = await validateCatalogue(ports, call, errors, input)
  errors.check()
  return unitOfWork(ports, call, async (work) => {
    const { at } = work
    const id = newId()
    await insertCatalogue(work, { id, ...values, createdAt: at })
    return id
  })
}

/**
 * Replaces a catalogue, which must be visible to the caller before and after the change. The seller
 * cannot change while a service of the catalogue relates to a device model of another catalogue, or
 * vice versa, because both must have the same seller.
 * @throws Problem `not-found`, `precondition-failed`, `fixed-seller`, and those of
 * {@link createCatalogue}.
 */
export async function replaceCatalogue(
  ports: Ports,
  call: Call,
  id: string,
  input: CatalogueInput
): Promise<void> {
  if (!(await findCatalogue(ports.db, call, id))) throw problem('not-found')
  const errors = new FieldErrors()
  const values = await validateCatalogue(ports, call, errors, input)
  await unitOfWork(ports, call, async (work) => {
    const catalogue = await lockCatalogue(work, id)
    if (!catalogue) throw problem('not-found')
    assertRevision(call, () => revisionOf(catalogue))
    const isResold = values.sellerId !== '' && values.sellerId !== catalogue.sellerId
    if (isResold && (await relatesToOtherCatalogues(work.tx, id)))
      errors.add(catalogueProblem('fixed-seller.relatedItems', '/seller'))
    errors.check()
    await updateCatalogue(work, { id, ...values }, catalogue.status)
  })
}

async function validateCatalogue(ports: Ports, call: Call, errors: FieldErrors, input: CatalogueInput) {
  const [seller] = await resolveParties(ports, call, errors, [
    { pointer: '/seller', url: input.seller, role: 'SELLER', scope: changeableSellers(call) }
  ])
  const status = resolveCode(
    ports.terminology,
    errors,
    'catalogue-status',
    input.status ?? 'DRAFT',
    '/status'
  )
  return {
    identifiers: identifiersOf(input.identifiers),
    sellerId: seller?.id ?? '',
    name: input.name,
    status
  }
}
