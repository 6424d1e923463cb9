import t from 'tap'
import { saveBatch } from '../../src/order/store/save.js'
import { appBehindProxy } from '../fixtures/database-proxy.js'
import { plainWrite, SAVED } from '../fixtures/plain-write.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { world } from '../fixtures/world.js'

t.test('batched order changes, one of which cannot be written', async (t) => {
  const app = await appBehindProxy(t)
  const { proxy } = app
  const { createDraft } = await world(app)

  /** Four drafts, the last of which cannot be written: the batch is split into halves. */
  async function four() {
    const ids: string[] = []
    for (let at = 0; at < 4; at++) ids.push(idOf(await createDraft()))
    await app.sql`alter table trace_lines drop constraint if exists broken`
    await app.sql.unsafe(
      `alter table trace_lines add constraint broken check (order_id <> '${ids[3]}') not valid`
    )
    return ids
  }

  async function save(id: string): Promise<() => Promise<unknown>> {
    const write = await plainWrite(app, id)
    return () => saveBatch(app.app.db, { write, begin() {} }).catch(({ code }) => code)
  }

  /** The outcome of each change, and the changes that are stored. */
  async function saveAll(ids: readonly string[], cutAt?: RegExp) {
    const saves = await Promise.all(ids.map(save))
    if (cutAt) proxy.cut('after', cutAt)
    const outcomes = await Promise.all(saves.map((each) => each()))
    const wasCut = proxy.restore()
    const rows = await app.sql`select order_id as id from trace_lines where text = ${SAVED}`
    return { outcomes, wasCut, written: ids.map((id) => rows.some((row) => row.id === id)) }
  }

  t.test('the other changes take effect', async (t) => {
    t.same(await saveAll(await four()), {
      outcomes: [true, true, true, '23514'],
      wasCut: false,
      written: [true, true, true, false]
    })
  })

  t.test('after a connection lost with the first half, the second half is not sent', async (t) => {
    const ids = await four()
    t.same(await saveAll(ids, new RegExp(`"${ids[0]}","${ids[1]}"\\}`)), {
      outcomes: ['08007', '08007', '08006', '08006'],
      wasCut: true,
      written: [true, true, false, false]
    })
  })

  t.test('after a connection lost with the second half, the first half is known', async (t) => {
    const ids = await four()
    t.same(await saveAll(ids, new RegExp(`{"${ids[2]}",`)), {
      outcomes: [true, true, '08007', '08007'],
      wasCut: true,
      written: [true, true, false, false]
    })
  })

  t.test('after a connection lost with the whole batch, nothing is resent', async (t) => {
    const ids = await four()
    t.same(await saveAll(ids, new RegExp(`{"${ids[0]}",`)), {
      outcomes: Array(4).fill('08007'),
      wasCut: true,
      written: Array(4).fill(false)
    })
  })
})
