import t from 'tap'
import { acceptedLanguage } from '../../src/platform/headers/negotiation.js'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { nextOf } from '../fixtures/events/reading.js'
import { codeSystem, folderOf, site, valueSet, valueSetIncluding } from '../fixtures/fhir/value-sets.js'
import { add, catalogue, orders, pathOf, service, world } from '../fixtures/world.js'

const sets = `${catalogue}/value-sets`
const get = (who: Caller, url: string, language?: string) =>
  who.send({ method: 'GET', url, headers: language === undefined ? {} : { 'accept-language': language } })

const app = await testApp(t)

t.test('the preferred language of a caller', async (t) => {
  const cases: [header: string | undefined, language: string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['fr, de;q=0.9', undefined],
    ['da', 'da'],
    ['DA-dk', 'da'],
    ['en-GB,en;q=0.9,da;q=0.8', 'en'],
    ['en;q=0.5, da;q=0.6', 'da'],
    ['da, en', 'da'],
    ['en, da', 'en'],
    ['da;q=0', undefined],
    ['da;q=x', 'da'],
    ['fr, da;q=0.1', 'da'],
    ['dan, dax', undefined]
  ]
  for (const [header, language] of cases) t.equal(acceptedLanguage(header), language, String(header))
})

t.test('value sets are listed and read with displays in the language of the caller', async (t) => {
  const nurse = app.as('MonitoringResponsible')
  const { body, headers } = await nurse.get(sets, 200)
  t.equal(body.length, 21)
  t.match(headers, { vary: /accept-language/i, etag: /^"/ })
  for (const set of body) t.same((await nurse.get(`${sets}/${set.name}`, 200)).body, set)
  const url = `${sets}/order-status`
  const system = 'https://valuesets.example/vs/order-status'
  const withDisplay = (display: string) => ({
    name: 'order-status',
    url: system,
    codes: [{ system, code: 'DRAFT', display }]
  })
  t.match((await get(nurse, url)).body, withDisplay('Draft'))
  t.match((await get(nurse, url, 'en')).body, withDisplay('Draft'))
  t.match((await get(nurse, url, 'fr')).body, withDisplay('Draft'))
  const danish = await get(nurse, url, 'da-DK, en;q=0.5')
  t.match(danish.body, withDisplay('Kladde'))
  t.match(danish.body.codes[3], { code: 'REJECTED', display: 'Afvist' })
  const english = await get(nurse, url, 'en')
  t.not(danish.headers.etag, english.headers.etag, 'each language has its own tag')
  const same = { 'accept-language': 'da', 'if-none-match': danish.headers.etag ?? '' }
  t.match(await nurse.send({ method: 'GET', url, headers: same }), {
    status: 304,
    headers: { vary: /accept-language/i }
  })
  t.match(await nurse.get(`${sets}/nothing`), { status: 404, body: { code: 'not-found' } })
  const first = await nurse.get(`${sets}?limit=3`, 200)
  t.same((await nurse.get(nextOf(first), 200)).body, body.slice(3, 6))
})

t.test('built-in displays have a Danish translation', async (t) => {
  const nurse = app.as('MonitoringResponsible')
  const same = new Set(['Smartphone', 'Normal', 'Installation', 'Body mass index;Patient'])
  const [english, danish] = [(await get(nurse, sets, 'en')).body, (await get(nurse, sets, 'da')).body]
  for (const [at, set] of english.entries())
    for (const [index, { display, code }] of set.codes.entries())
      if (display !== null && !same.has(display))
        t.not(danish[at].codes[index].display, display, `${set.name} ${code}`)
})

t.test('every coding is shown in the language of the caller', async (t) => {
  const w = await world(app)
  const { clerk, nurse, provider, catalogue: list, monitor, repair, buyer } = w
  await clerk.create(`${catalogue}/annotation`, {
    catalogueItem: monitor,
    buyer,
    name: 'ehealth/device-type',
    value: { system: 'http://snomed.info/sct', code: '19892000' }
  })
  const { order, lines } = await w.submitted()
  const fake = '{"system":"https://valuesets.example/vs/order-status","code":"DRAFT","display":"Draft"}'
  await nurse.patch(pathOf(order), [add('/notes/-', { note: fake })], 204)
  const expected: [who: Caller, url: string, displays: string[]][] = [
    [nurse, pathOf(order), ['Bestilt']],
    [nurse, `${pathOf(order)}/details`, ['Bestilt', 'Bestilt', 'Levering', 'Kladde', 'Ikke udført']],
    [provider, `${orders}/orders`, ['Bestilt']],
    [nurse, pathOf(lines[0] ?? ''), ['Bestilt', 'Levering']],
    [nurse, `${orders}/order-lines`, ['Levering']],
    [nurse, `${orders}/trace-lines?order=${encodeURIComponent(order)}`, ['Kladde', 'Bestilt']],
    [clerk, pathOf(list), ['Aktivt']],
    [clerk, `${catalogue}/catalogues`, ['Aktivt']],
    [clerk, pathOf(repair), ['Reparation']],
    [nurse, `${catalogue}/catalogue-items?buyer=${encodeURIComponent(buyer)}`, ['Vægt', 'Reparation']],
    [clerk, `${catalogue}/annotations`, ['Vægt']]
  ]
  for (const [who, url, displays] of expected) {
    const [plain, danish, english] = [
      await get(who, url),
      await get(who, url, 'da'),
      await get(who, url, 'en')
    ]
    const text = JSON.stringify(danish.body)
    for (const display of displays) t.match(text, `"display":"${display}"`, `${url}: ${display}`)
    t.notMatch(text, /"display":"(Draft|Submitted|Unfulfilled|Delivery|Active|Repair|Scale)"/, url)
    t.same(english.body, plain.body, `${url}: English as without the header`)
    t.match(plain.headers.vary, /accept-language/i, url)
  }
  const { body } = await get(nurse, pathOf(order), 'da')
  t.equal(body.notes[0].note, fake, 'a text is not translated')
  const training = service(list, { name: 'Oplæring', serviceType: 'TRAINING' })
  const inDanish = { 'accept-language': 'da' }
  const created = await clerk.post(`${catalogue}/catalogue-items`, [training], 201, inDanish)
  t.match(created, { body: [{ serviceType: { code: 'TRAINING', display: 'Oplæring' } }] })
})

t.test('value sets of a site have displays in both languages', async (t) => {
  const designation = (language: string, value: string) => [{ language, value }]
  const safe = { code: 'A', display: 'Sikker', designation: designation('en-US', 'Safe') }
  const thing = { code: 'X', display: 'Thing', designation: designation('da', 'Ting') }
  const one = { system: 'urn:p', code: '1', display: 'One', designation: designation('da', 'Én') }
  const ofSafety = { system: site('device-safety'), concept: [safe, { code: 'B', display: 'Usikker' }] }
  const folder = folderOf(t, {
    'safety.json': { ...valueSetIncluding('device-safety', ofSafety), language: 'da' },
    'type.json': valueSetIncluding('device-type', { system: 'urn:type' }),
    'system.json': codeSystem('urn:type', [thing, { code: 'Y' }]),
    'period.json': valueSet('device-calibration-period', { expansion: { contains: [one] } })
  })
  const app = await testApp(t, { VALUESETS_DIR: folder })
  const nurse = app.as('MonitoringResponsible')
  const displaysOf = async (name: string, language?: string) =>
    (await get(nurse, `${sets}/${name}`, language)).body.codes.map(
      (each: { display: string }) => each.display
    )
  t.same(await displaysOf('device-safety'), ['Sikker', 'Usikker'])
  t.same(await displaysOf('device-safety', 'da'), ['Sikker', 'Usikker'])
  t.same(await displaysOf('device-safety', 'en'), ['Safe', 'Usikker'])
  t.same(await displaysOf('device-type'), ['Thing', null])
  t.same(await displaysOf('device-type', 'da'), ['Ting', null])
  t.same(await displaysOf('device-calibration-period', 'da'), ['Én'])
})
