import { and, eq } from 'drizzle-orm'
import { resolveParties, sellerReach } from '../../agreement/lookup.js'
import { newId, withTransaction } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, fieldProblem, problem } from '../../platform/errors/problem.js'
import { identifiersOf } from '../../platform/schemas/schemas.js'
import type { Ports } from '../../ports.js'
import { resolveCode } from '../../terminology/known-code.js'
import { catalogueProblem } from '../problems.js'
import { catalogues } from '../tables.js'
import { assertSellersWithinReach, catalogueVisibleTo } from '../visibility.js'
import type { CatalogueInput } from './catalogue.schemas.js'
import { hasForeignRelations } from './catalogue.store.js'

/** Creates a catalogue and answers its id. */
export async function createCatalogue(ports: Ports, actor: Actor, input: CatalogueInput): Promise<string> {
  const values = await checkedCatalogue(ports, actor, input)
  return withTransaction(ports.db, actor, async (work) => {
    const { tx, at } = work
    await assertSellersWithinReach(work, ports, [values.sellerId])
    const id = newId()
    await tx.insert(catalogues).values({ id, ...values, createdAt: at })
    return id
  })
}

/**
 * Replaces a catalogue; it must be within the caller's reach before and after. Another seller is refused while a service in it relates
 * to a device model elsewhere, or the reverse, since both must be of one seller.
 * @throws Problem `not-found`, `fixed-seller`.
 */
export async function replaceCatalogue(
  ports: Ports,
  actor: Actor,
  id: string,
  input: CatalogueInput
): Promise<void> {
  const { db } = ports
  const [reachable] = await db
    .select()
    .from(catalogues)
    .where(and(eq(catalogues.id, id), catalogueVisibleTo(ports, actor)))
  if (!reachable) throw problem('not-found', 'There is no such catalogue.')
  const values = await checkedCatalogue(ports, actor, input)
  await withTransaction(db, actor, async (work) => {
    const { tx } = work
    await assertSellersWithinReach(work, ports, [values.sellerId])
    const [catalogue] = await tx
      .select()
      .from(catalogues)
      .where(and(eq(catalogues.id, id), catalogueVisibleTo(ports, actor)))
      .for('update')
    if (!catalogue) throw problem('not-found', 'There is no such catalogue.')
    if (catalogue.sellerId !== values.sellerId && (await hasForeignRelations(tx, id)))
      throw fieldProblem(
        catalogueProblem,
        'fixed-seller',
        '/seller',
        'Items of this catalogue relate to others of its seller.'
      )
    await tx.update(catalogues).set(values).where(eq(catalogues.id, id))
  })
}

async function checkedCatalogue(ports: Ports, actor: Actor, input: CatalogueInput) {
  const faults = new FieldErrors()
  const [seller] = await resolveParties(ports, actor, faults, [
    { pointer: '/seller', url: input.seller, role: 'SELLER', within: sellerReach(actor) }
  ])
  const status = resolveCode(
    ports.terminology,
    faults,
    'catalogue-status',
    input.status ?? 'DRAFT',
    '/status'
  )
  faults.check()
  return {
    identifiers: identifiersOf(input.identifiers),
    sellerId: seller?.id ?? '',
    name: input.name,
    status
  }
}
