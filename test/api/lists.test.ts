import t, { type Test } from 'tap'
import { dateFormatterOf } from '../../src/platform/dates/calendar-date.js'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { orders, pathOf, patient, terms, withQuery } from '../fixtures/world.js'

type Query = Record<string, string>

const ask = async (caller: Caller, path: string, query: Query = {}) =>
  idsOf((await caller.get(withQuery(path, query), 200)).body)

const { app, w } = await testWorld(t)
const { clerk, nurse, provider, otherNurse, otherProvider } = w
const { buyer, seller, account, otherBuyer, otherSeller } = w

type ListCase = readonly [caller: Caller, query: Query, ids: readonly string[]]

async function checkLists(t: Test, path: string, cases: readonly ListCase[]) {
  for (const [caller, query, ids] of cases) t.same(await ask(caller, path, query), ids, JSON.stringify(query))
}

t.test('orders are listed newest first, by filters and words', async (t) => {
  const first = await w.createDraft({ priority: true, name: 'Blodtryksmåler til Åse' })
  const urgent = idOf(first)
  const second = idOf(
    await w.createDraft({
      identifiers: [{ system: 'urn:n', value: 'AAK-0042' }],
      receiver: { name: 'Søren Ærø', patient: patient('p2') }
    })
  )
  const { order } = await w.submitted()
  const sent = idOf(order)
  const gone = await w.createDraft()
  await nurse.delete(pathOf(gone), 204)
  const dayOf = async (url: string) =>
    dateFormatterOf(app.app.timeZone)(new Date((await nurse.get(pathOf(url), 200)).body.created))
  const days = { from: await dayOf(first), to: await dayOf(order) }

  const cases: ListCase[] = [
    [nurse, {}, [sent, second, urgent]],
    [provider, {}, [sent]],
    [otherNurse, {}, []],
    [otherProvider, {}, []],
    [nurse, { buyer }, [sent, second, urgent]],
    [nurse, { buyer: otherBuyer }, []],
    [nurse, { seller, status: 'draft' }, [second, urgent]],
    [provider, { status: 'SUBMITTED', priority: 'false' }, [sent]],
    [provider, { status: 'SUBMITTED', priority: 'true' }, []],
    [provider, { status: 'DRAFT' }, []],
    [nurse, { priority: 'true' }, [urgent]],
    [nurse, { patient: patient('p2') }, [second]],
    [nurse, days, [sent, second, urgent]],
    [nurse, { to: '2020-01-01' }, []],
    [nurse, { from: '2999-01-01T00:00:00Z' }, []],
    [nurse, { q: 'aak-0042' }, [second]],
    [nurse, { q: 'aak0042 sørenærø' }, [second]],
    [nurse, { q: 'soeren AEROE' }, [second]],
    [nurse, { q: 'blodtryksmaaler aase' }, [urgent]],
    [nurse, { q: 'blodtryk søren' }, []],
    [nurse, { q: '%' }, []],
    [provider, { q: 'rasmus' }, [sent]],
    [provider, { q: 'søren' }, []]
  ]
  await checkLists(t, `${orders}/orders`, cases)
})

t.test('contracts are listed by parties, day and expiry', async (t) => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const contract = async (start: string, end: string, more: object = {}) =>
    idOf(
      await clerk.create(`${orders}/contract`, {
        ...terms(seller, account, buyer),
        validityPeriod: { start, end },
        ...more
      })
    )
  const long = idOf(w.contract)
  const past = await contract('2001-01-01', '2001-12-31', { reminderDays: 30 })
  const due = await contract('2001-01-01', day(10), { reminderDays: 30 })
  const early = await contract('2001-01-01', day(40), { reminderDays: 30, buyer: [otherBuyer, buyer] })
  const foreign = await contract('2001-01-01', '2999-12-31', { seller: otherSeller })
  const cases: ListCase[] = [
    [clerk, {}, [long, past, due, early, foreign]],
    [provider, {}, [long, past, due, early]],
    [otherProvider, {}, [foreign]],
    [clerk, { seller: otherSeller }, [foreign]],
    [clerk, { buyer: otherBuyer }, [early]],
    [clerk, { account, validOn: '2001-06-01' }, [past, due, early, foreign]],
    [clerk, { validOn: '2001-12-31', seller }, [past, due, early]],
    [clerk, { expiring: 'true' }, [due]],
    [clerk, { expiring: 'false', buyer: otherBuyer }, [early]]
  ]
  await checkLists(t, `${orders}/contracts`, cases)
  const [body] = (await clerk.get(withQuery(`${orders}/contract`, { buyer: otherBuyer }), 200)).body
  t.same(body.buyer, [otherBuyer, buyer])
})
