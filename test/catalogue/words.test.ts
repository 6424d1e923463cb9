import t from 'tap'
import { searchText } from '../../src/platform/text/search-text.js'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { catalogue, deviceModel, orders, organization, world } from '../fixtures/world.js'

const device = { system: 'http://snomed.info/sct', code: '258057004' }

/** Checks which names a list has for a filter. */
const search = (who: Caller, list: string) => async (filters: Record<string, string>) => {
  const { body } = await who.get(`${list}?${new URLSearchParams(filters)}`, 200)
  return (body as { name: string }[]).map(({ name }) => name)
}

t.test('PostgreSQL folds the texts of a row as the program folds the words of a search', async (t) => {
  const { sql } = await testApp(t)
  const texts = [
    'Måneskær ØRSTED Æblegård Đorđe Straße ẞ',
    'CAFÉ É Ångström naïve Ñandú Čapek İstanbul',
    'Ελλάδα ΆΛΦΑ Москва Ёлка й',
    '№ 3 ™ ﬁn ㎏ ½ Ⅳ',
    'UA-767/B.2 U\u2010\u2011\u2012\u2013\u2014A \u00a07 \u00ad\u200b\u200f\u2060\ufeff Å A\u030a Ǻ ǿ ǽ \u212b',
    'a\tb  c %_\\ "quoted"',
    ''
  ]
  for (const text of texts) {
    const [row] = await sql`select fold_text(${text}) as folded`
    t.equal(row?.folded, searchText(text), text)
  }
})

t.test('lists are searched by words, without regard to case and accents', async (t) => {
  const app = await testApp(t)
  const { clerk, nurse, provider, otherProvider, ...w } = await world(app)
  const party = (name: string, email: string | null) =>
    clerk.create(`${orders}/party`, {
      name,
      email,
      allowedRoles: ['SELLER'],
      organization: organization('x')
    })
  await party('Ærø Kommune', 'post@aeroe.example')
  await party('Århus Sygehus', null)
  const list = await clerk.create(`${catalogue}/catalogue`, { seller: w.otherSeller, name: 'Måleudstyr' })
  const texts = { name: 'Vægt', model: 'V1', description: 'Til KØRESTOL, med Bluetooth®' }
  await clerk.create(`${catalogue}/catalogue-item`, deviceModel(list, texts))
  for (const name of ['ehealth/device-type', 'Farve på æsken'])
    await clerk.create(`${catalogue}/annotation`, {
      catalogueItem: w.monitor,
      buyer: w.buyer,
      name,
      value: device
    })
  const [parties, catalogues] = [search(nurse, `${orders}/parties`), search(nurse, `${catalogue}/catalogues`)]
  const annotations = search(nurse, `${catalogue}/annotations`)
  const items = search(nurse, `${catalogue}/catalogue-items`)
  const cases: [find: typeof parties, filters: Record<string, string>, names: string[]][] = [
    [parties, { q: 'AEROE kommune' }, ['Ærø Kommune']],
    [parties, { q: 'ærø' }, ['Ærø Kommune']],
    [parties, { q: 'aeroe.example' }, ['Ærø Kommune']],
    [parties, { q: 'aarhus' }, ['Århus Sygehus']],
    [parties, { q: 'arhus' }, ['Århus Sygehus']],
    [parties, { q: 'århus', role: 'BUYER' }, []],
    [parties, { q: 'århus', role: 'seller' }, ['Århus Sygehus']],
    [parties, { q: 'aarhus kommune' }, []],
    [catalogues, { q: 'MAALEUD' }, ['Måleudstyr']],
    [catalogues, { q: 'dev', status: 'ACTIVE' }, ['Devices']],
    [catalogues, { q: 'dev', status: 'active', administered: 'false' }, ['Devices']],
    [catalogues, { administered: 'true' }, []],
    [catalogues, { name: 'Devices' }, ['Devices']],
    [catalogues, { name: 'devices' }, []],
    [catalogues, { name: '' }, []],
    [annotations, { q: 'paa aesken' }, ['Farve på æsken']],
    [annotations, { q: 'på æske' }, ['Farve på æsken']],
    [annotations, { q: 'pressure non-invasive device-type' }, ['ehealth/device-type']],
    [annotations, { q: device.code }, ['ehealth/device-type', 'Farve på æsken']],
    [annotations, { name: 'ehealth/device-type' }, ['ehealth/device-type']],
    [annotations, { name: 'ehealth/device', buyer: w.buyer }, []],
    [items, { q: 'koerestol' }, ['Vægt']],
    [items, { q: 'kørestol vaegt v1 bluetooth' }, ['Vægt']],
    [items, { seller: w.otherSeller }, ['Vægt']],
    [items, { seller: w.seller, q: 'kørestol' }, []],
    [items, { relatedTo: w.monitor }, ['Repair of the blood pressure monitor']],
    [items, { relatedTo: w.repair }, []],
    [items, { relatedTo: w.monitor, seller: w.otherSeller }, []],
    [search(provider, `${catalogue}/catalogues`), { q: 'maaleudstyr' }, []],
    [search(provider, `${catalogue}/catalogue-items`), { seller: w.otherSeller }, []],
    [search(otherProvider, `${catalogue}/catalogue-items`), { relatedTo: w.monitor }, []]
  ]
  for (const [find, filters, names] of cases) t.same(await find(filters), names, JSON.stringify(filters))

  for (const address of [`${orders}/parties`, `${catalogue}/catalogues`, `${catalogue}/annotations`])
    for (const q of ['a b c d e f g h i j k', 'x'.repeat(101)]) {
      const response = await nurse.get(`${address}?q=${encodeURIComponent(q)}`)
      t.match(response, { status: 400, body: { code: 'invalid-query' } }, `${address} ${q.slice(0, 9)}`)
    }
})

t.test('a changed text is found by its new words only', async (t) => {
  const app = await testApp(t)
  const { clerk, catalogue: list, seller } = await world(app)
  const find = search(clerk, `${catalogue}/catalogues`)
  await clerk.put(new URL(list).pathname, { seller, name: 'Nyt navn' }, 204)
  t.same(await find({ q: 'nyt' }), ['Nyt navn'])
  t.same(await find({ q: 'devices' }), [])
})
