import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { catalogue, deviceModel } from '../fixtures/world.js'

const { w } = await testWorld(t)
const list = await w.clerk.create(`${catalogue}/catalogue`, { seller: w.seller, name: 'Dansk' })

const createItem = (name: string, more: object = {}) =>
  w.clerk.create(
    `${catalogue}/catalogue-item`,
    deviceModel(list, { name, manufacturer: 'Fabrik', model: 'M1', ...more })
  )
const gtin = (...values: string[]) => ({
  identifiers: values.map((value) => ({ system: 'urn:oid:1.2.208.999.1', value }))
})

t.test('a search finds Danish words and numbers in other spellings', async (t) => {
  const texts = [
    ['Blodtryksmåler', { model: 'UA-767/BT.2', manufacturer: 'A&D', ...gtin('5712345678909') }],
    ['Blodsukkermaaler', { model: 'Accu Chek 50', ...gtin('036000291452', 'VARE 12-34') }],
    ['Kørestol Ærø', { model: 'Læsø\u20132', description: 'Til børn. 5\u201350% glukose i vand' }],
    ['Koelebox', { model: 'KB\u201110', manufacturer: 'Faaborg Maegle', ...gtin('00000040170725') }],
    ['Mikroelektrode', { model: 'Data-analyse 1.5', manufacturer: 'AAA Café' }]
  ] as const
  for (const [name, more] of texts) await createItem(name, more)
  const [monitor, glucose, chair, box, electrode] = texts.map(([name]) => name)
  const cases: [q: string, ...names: (string | undefined)[]][] = [
    // å and aa
    ['blodtryksmåler', monitor],
    ['BLODTRYKSMAALER', monitor],
    ['måler', glucose, monitor],
    ['maaler', glucose, monitor],
    ['ma\u030aler', glucose, monitor],
    ['blodsukkermåler', glucose],
    ['fåborg', box],
    ['aaa', electrode],
    // ø and oe
    ['kørestol', chair],
    ['koerestol', chair],
    ['KØRESTOL', chair],
    ['kølebox', box],
    ['stol boern', chair],
    ['laesoe', chair],
    // æ and ae
    ['ærø', chair],
    ['aeroe', chair],
    ['ÆROE', chair],
    ['mægle', box],
    // parts of compounds
    ['tryk', monitor],
    ['sukker', glucose],
    ['elektrode', electrode],
    ['mikroelek', electrode],
    ['analyse', electrode],
    ['cafe', electrode],
    // characters within a word
    ['ua767', monitor],
    ['UA-767', monitor],
    ['ua/767bt2', monitor],
    ['767 ua', monitor],
    ['u\u2010a\u2011767', monitor],
    ['ua\u2012767', monitor],
    ['UA\u2013767', monitor],
    ['ua\u2014767', monitor],
    ['kb-10', box],
    ['læsø2', chair],
    ['accuchek', glucose],
    ['accu-chek50', glucose],
    ['vare1234', glucose],
    ['dataanalyse1.5', electrode],
    ['a&d', monitor],
    // signs of LIKE
    ['50%', chair],
    ['5%0', undefined],
    ['ua_767', undefined],
    // GTINs
    ['5712345678909', monitor],
    ['05712345678909', monitor],
    ['36000291452', glucose],
    ['0036000291452', glucose],
    ['00036000291452', glucose],
    ['40170725', box],
    ['0000040170725', box],
    ['9712345678909', undefined],
    // words of a description stay apart
    ['glukose vand', chair],
    ['iv', undefined],
    ['korestol', undefined]
  ]
  t.ok(cases.length >= 40)
  for (const [q, ...names] of cases) {
    const url = `${catalogue}/catalogue-items?${new URLSearchParams({ catalogue: list, q })}`
    const { body } = await w.nurse.get(url, 200)
    t.same(
      body.map((item: { name: string }) => item.name),
      names.filter((name) => name !== undefined),
      q
    )
  }
})

t.test('items are sorted by name as in Danish, over all pages', async (t) => {
  const sorted = await w.clerk.create(`${catalogue}/catalogue`, { seller: w.seller, name: 'Sorteret' })
  const names = [
    '1 liter',
    '10 liter',
    '9 liter',
    'abe',
    'Abe',
    'abe 2',
    'Abel',
    'Café A',
    'Cafe B',
    'zebra',
    'Zebra',
    'æble',
    'Æble',
    'øre',
    'Ørn',
    'ål',
    'Aal',
    'ÅL',
    'a\u030ale',
    'Aaleskind',
    `åse ${'x'.repeat(300)}`,
    `åse ${'x'.repeat(299)}y`
  ]
  // Equal names stay in the order of creation.
  for (const half of [0, 1])
    for (const [at, name] of names.entries())
      if (at % 2 === half) await createItem(name, { catalogue: sorted })
  const groups = names.map((name) => names.findIndex((each) => keyOf(each) === keyOf(name)))
  for (const limit of ['3', '100']) {
    const url = `${catalogue}/catalogue-items?${new URLSearchParams({ catalogue: sorted, limit })}`
    const items = (await pagesAt(w.nurse, url)).flatMap(({ body }) => body)
    const found = items.map(({ name }) => names.indexOf(name))
    t.same(
      found.map((at) => groups[at]),
      groups,
      `pages of ${limit}`
    )
    t.same(
      [...found].sort((a, b) => a - b),
      [...names.keys()]
    )
    const ids = items.map(({ id }) => id)
    t.ok(
      ids.every(
        (id, at) => at === 0 || groups[found[at] ?? 0] !== groups[found[at - 1] ?? 0] || ids[at - 1] < id
      )
    )
  }
})

/**
 * Names that are equal in the sort order, which ignores case, accents and characters after the
 * 255th.
 */
const keyOf = (name: string) =>
  name.toLowerCase().normalize('NFC').replace('aa', 'å').replace('é', 'e').slice(0, 255)
