import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { nextOf } from '../fixtures/events/reading.js'
import { idOf, idsOf, unknownId } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, orders, pathOf, patient, replace, transitionTo, type world } from '../fixtures/world.js'

const p = patient('shared')
const lists = `${catalogue}/black-lists?patient=${encodeURIComponent(p)}`
const comparable = ({ status, body }: ApiResponse) => JSON.stringify([status, { ...body, instance: '' }])

t.test('black list entries belong to their organization and apply to every order', async (t) => {
  const { w } = await testWorld(t)
  const { nurse, otherNurse, monitor, repair } = w
  const [own, theirs] = [
    await nurse.create(`${catalogue}/black-list`, { patient: p, item: monitor }),
    await otherNurse.create(`${catalogue}/black-list`, { patient: p, item: monitor })
  ]
  const repeated = await nurse.post(`${catalogue}/black-list`, { patient: p, item: monitor })
  t.equal(outcome(repeated), '409 duplicate-entry', 'once per organization')
  const others = await otherNurse.create(`${catalogue}/black-list`, { patient: p, item: repair })

  t.test('are visible only to their organization', async (t) => {
    const listed = async (who: typeof nurse, url = lists) => idsOf((await who.get(url, 200)).body)
    t.same(await listed(nurse), [idOf(own)])
    t.same(await listed(otherNurse), [idOf(theirs), idOf(others)])
    t.same(await listed(nurse, `${lists}&item=${encodeURIComponent(repair)}`), [])
    const page = await otherNurse.get(`${lists}&limit=1`, 200)
    t.same(await listed(nurse, nextOf(page)), [], 'not by a foreign cursor')
    for (const method of ['GET', 'DELETE'] as const) {
      const [hidden, missing] = [
        await nurse.send({ method, url: pathOf(theirs) }),
        await nurse.send({ method, url: `${catalogue}/black-list/${unknownId}` })
      ]
      t.equal(outcome(hidden), '404 not-found')
      t.equal(comparable(hidden), comparable(missing), `${method} reveals nothing`)
    }
    t.match((await otherNurse.get(pathOf(theirs), 200)).body, { patient: p, item: monitor })
  })

  t.test('search and orders apply the entries of all organizations', async (t) => {
    t.same(await hiddenFrom(w), [monitor, repair])
    t.same(await hiddenFrom(w, patient('p3')), [])
    t.same(await refusedFor(w, monitor), ['black-listed'])
    await nurse.delete(pathOf(own), 204)
    t.equal(outcome(await nurse.delete(pathOf(own))), '404 not-found')
    t.same(await refusedFor(w, monitor), ['black-listed'], 'an entry of another organization suffices')
    await otherNurse.delete(pathOf(theirs), 204)
    t.same(await refusedFor(w, monitor), [])
    t.same(await hiddenFrom(w), [repair])
  })
})

type World = Awaited<ReturnType<typeof world>>

/** The items that a search for the patient omits. */
async function hiddenFrom({ nurse, monitor, repair }: World, by = p): Promise<string[]> {
  const { body } = await nurse.get(`${catalogue}/catalogue-items?patient=${encodeURIComponent(by)}`, 200)
  const found = idsOf(body)
  return [monitor, repair].filter((url) => !found.includes(idOf(url)))
}

/**
 * Why an item cannot be ordered for the patient. Adding a line and submission must give the same
 * reason.
 */
async function refusedFor({ nurse, createDraft, addLine }: World, item: string): Promise<string[]> {
  const codes = ({ body }: ApiResponse) => (body?.errors ?? []).map((each: { code: string }) => each.code)
  const receiver = { name: 'R', patient: p }
  const order = await createDraft({ receiver })
  const added = codes(await nurse.post(`${orders}/order-line`, { order, item, action: 'DELIVER' }))
  const other = await createDraft()
  await addLine(other, { item })
  const moved = [replace('/receiver', receiver), ...transitionTo('SUBMITTED')]
  t.same(codes(await nurse.patch(pathOf(other), moved)), added, 'submission gives the same reason')
  return added
}
