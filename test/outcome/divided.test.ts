import { eq } from 'drizzle-orm'
import t from 'tap'
import { newId } from '../../src/db/unit-of-work.js'
import { saveOrder } from '../../src/order/store/save-order.js'
import { orders as orderTable } from '../../src/order/store/tables.js'
import { appBehindProxy } from '../fixtures/database-proxy.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { world } from '../fixtures/world.js'

/** A distributed database gets one order per statement. */
const skip = process.env.TEST_CLUSTER === 'true' && 'a distributed database gets no batches of orders'

t.test('batched order changes, one of which cannot be written', { skip }, async (t) => {
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
    const [row] = await app.app.db.select().from(orderTable).where(eq(orderTable.id, id))
    if (!row) throw new Error('no order')
    const trace = {
      id: newId(),
      orderId: id,
      seq: row.traceCount + 1,
      timestamp: new Date(),
      text: 'saved',
      createdByOrganization: '',
      supplementaryText: '',
      orderLineId: null,
      oldStatus: null,
      newStatus: null
    }
    const call = { requestId: id, operation: 'o', interaction: 'patch' } as const
    const caller = { userType: 'u', userId: undefined, organization: undefined }
    const write = {
      node: '',
      before: row,
      order: { ...row, revision: row.revision + 1 },
      traces: [trace],
      newLines: [],
      changedLines: [],
      newDevices: [],
      changedDevices: [],
      events: [],
      items: [],
      until: new Date(Date.now() + 600_000),
      audit: app.app.audit.rowOf({ call, caller, subjects: [] }, null)
    }
    return () => saveOrder(app.app, write).catch(({ code }) => code)
  }

  /** The outcome of each change, and the changes that the database has. */
  async function saveAll(ids: readonly string[], cutAt?: RegExp) {
    const saves = await Promise.all(ids.map(save))
    if (cutAt) proxy.cut('after', cutAt)
    const outcomes = await Promise.all(saves.map((each) => each()))
    const wasCut = proxy.restore()
    const rows = await app.sql`select order_id as id from trace_lines where text = 'saved'`
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
