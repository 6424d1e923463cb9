import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, deviceModel, orders, pathOf, replace, transitionTo } from '../fixtures/world.js'

const gtin = '5712345678909'
const { w } = await testWorld(t)

const identifier = (value: string, system = 'urn:list') => ({ system, value })
const item = (name: string, ...identifiers: object[]) =>
  deviceModel(w.catalogue, { name, model: name, identifiers })
const createItem = (name: string, ...identifiers: object[]) =>
  w.clerk.create(`${catalogue}/catalogue-item`, item(name, ...identifiers))
const read = async (url: string) => (await w.nurse.get(pathOf(url), 200)).body

/** The names in a list with these identifiers. */
async function named(list: string, identifiers: string[], caller: Caller = w.nurse) {
  const query = new URLSearchParams(identifiers.map((each): [string, string] => ['identifier', each]))
  return (await caller.get(`${list}?${query}`, 200)).body.map(({ name }: { name: string }) => name)
}

t.test('identifiers are stored without invisible characters and further spaces', async (t) => {
  const sent = [{ ...identifier(' MM\u00ad-1\u00a0\u200b x\t', ' urn:a\ufeff'), assigner: ' Assigner ' }]
  const stored = [{ ...identifier('MM-1 x', 'urn:a'), assigner: ' Assigner ' }]
  const list = await w.addCatalogue({ identifiers: sent })
  const order = await w.createDraft({ identifiers: sent })
  const monitor = await createItem('Stored', ...sent)
  for (const url of [list, order, monitor]) t.same((await read(url)).identifiers, stored)
  await w.nurse.patch(pathOf(order), [replace('/identifiers', [identifier('\u200bB 2 ')])], 204)
  t.match((await read(order)).identifiers, [identifier('B 2')])
  const { headers } = await w.nurse.get(pathOf(order), 200)
  await w.nurse.patch(pathOf(order), [replace('/identifiers', [identifier('B  2')])], 204)
  t.equal((await w.nurse.get(pathOf(order), 200)).headers.etag, headers.etag, 'nothing has changed')
})

t.test('identifiers of a catalogue are unique without regard to invisible characters', async (t) => {
  await createItem('First', identifier('U-1'), identifier(gtin))
  const create = async (...identifiers: object[]) =>
    outcome(await w.clerk.post(`${catalogue}/catalogue-item`, item('Second', ...identifiers)))
  for (const value of ['U-1', ' U-1', 'U-1\u200b', gtin, `0${gtin}`])
    t.equal(await create(identifier(value)), '409 duplicate-identifier /identifiers/0', value)
  t.equal(
    await create(identifier('96385074'), identifier('00000096385074')),
    '409 duplicate-identifier /identifiers/1'
  )
  const known = await createItem(
    'Second',
    ...['u-1', 'U1', '0571234567890', '05712345678901'].map((value) => identifier(value)),
    identifier(`0${gtin}`, 'urn:other')
  )
  t.equal((await read(known)).identifiers.at(-1).value, `0${gtin}`, 'zeros stay as they were sent')
})

t.test('items, catalogues and orders are found by identifier', async (t) => {
  const gtins = ['614141999996', '96385074'].map((value) => identifier(value, 'urn:gtin'))
  const values = [identifier('F-1'), identifier('F|2, 3', 'urn:b'), ...gtins]
  const lists = { items: `${catalogue}/catalogue-items`, catalogues: `${catalogue}/catalogues` }
  await createItem('Found', ...values)
  await createItem('Other', identifier('F-1', 'urn:other'))
  await w.clerk.create(`${catalogue}/catalogue`, { seller: w.seller, name: 'Found', identifiers: values })
  const order = await w.createDraft({ name: 'Found', identifiers: values })
  const all = { ...lists, orders: `${orders}/orders` }
  const cases: [identifiers: string[], isFound: boolean][] = [
    [['urn:list|F-1'], true],
    [['\u200burn:list| F-1 '], true],
    [['F|2, 3'], false],
    [['urn:b|F|2, 3'], true],
    [['urn:b|F-1'], false],
    [['|F-1'], false],
    [['urn:list|f-1'], false],
    [['urn:list|F'], false],
    [['0614141999996'], true],
    [['urn:gtin|00614141999996'], true],
    [['00000096385074'], true],
    [['urn:list|614141999996'], false],
    [['urn:list|F-1,urn:list|X'], false],
    [['urn:list|X', 'urn:list|F-1'], true],
    [['urn:list|X', ''], false]
  ]
  for (const [name, list] of Object.entries(all))
    for (const [identifiers, isFound] of cases)
      t.same(await named(list, identifiers), isFound ? ['Found'] : [], `${name}: ${identifiers}`)
  t.same(await named(all.items, ['F-1']), ['Found', 'Other'])
  t.same(await named(all.items, ['urn:other|F-1', 'F-1']), ['Found', 'Other'])
  for (const caller of [w.provider, w.otherNurse, w.otherProvider])
    t.same(await named(all.orders, ['F-1'], caller), [], 'a draft, or an order of others')
  await w.addLine(order)
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  t.same(await named(all.orders, ['F-1'], w.provider), ['Found'])
  t.same(await named(all.catalogues, ['F-1'], w.otherProvider), [])
})
