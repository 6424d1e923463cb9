import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { excel, upload } from '../fixtures/excel/client.js'
import { ODD_TEXTS } from '../fixtures/excel/odd-texts.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { catalogue, orders, organization, world } from '../fixtures/world.js'

/* Catalogues of the JSON API, full of texts that sheets do not keep unchanged. */

/** Texts that together contain all characters. Surrogates are none. */
const characters = Array.from({ length: 0x10_000 }, (_, code) => code + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
const pieces = Array.from({ length: 128 }, (_, at) => characters.slice(at * 500, (at + 1) * 500).join(''))

const texts = [
  ...ODD_TEXTS,
  ...pieces,
  ...['', ' ', ' before', 'after ', '\nbreak first', 'win\r\ndows', 'mac\rintosh', 'a\tb', 'bell\u0007'],
  ...[', ', '+1', 'EXAMPLE', 'NULL', '_x0041_', '_x005F_x0041_', '_xD83D_', '_x', ']]>', '&#13;', '{"a":1}'],
  ...['a:b', '\ufeffmark', '\u00a0hard\u00a0', 'e\u0301', 'مرحبا', '\u202eright'],
  ...['\u001b[31m', '\u0085', '\u0001'],
  ...['x'.repeat(4000), '💓'.repeat(4000)]
]
const partyNames = ['\tEast ', 'two\nlines', 'bell\u0007', '=1+1', '_x000D_', '\u00a0hard', 'x']
const value = { system: 'http://snomed.info/sct', code: '19892000' }
const isAnnotationName = (text: string) => /^[^|:\p{Cc}]{1,255}$/u.test(text) && text.trim() !== ''

t.test('an export of odd texts that is imported again changes nothing', async (t) => {
  const app = await testApp(t)
  const { clerk, monitor } = await world(app)
  const party = (name: string, role: string, of: string) =>
    clerk.create(`${orders}/party/`, { allowedRoles: [role], name, organization: organization(of) })
  for (const [at, name] of partyNames.entries()) {
    const [seller, buyer] = [await party(name, 'SELLER', 'provider'), await party(name, 'BUYER', 'region')]
    const some = texts.filter((_, index) => index % partyNames.length === at)
    /** The numbers distinguish texts that look equal in a sheet. */
    const identifiersOf = (text: string, number: string) => [
      { system: 'urn:no', value: `${number}${[...text].slice(0, 3990).join('')}`, assigner: text },
      { system: `urn:${[...text].slice(0, 3990).join('')}`, value: number },
      // A sheet does not show this separator. The identifier is unique in a catalogue too.
      ...(number === '1-' ? [{ system: ' ', value: '\u0001' }] : [])
    ]
    const [listName = '', listNumber = ''] = some
    const list = { seller, name: listName, identifiers: identifiersOf(listNumber, '') }
    const url = await clerk.create(`${catalogue}/catalogue`, list)
    const create = async (items: object[]): Promise<string[]> => {
      const all = items.map((item) => ({ catalogue: url, ...item }))
      const { body } = await clerk.post(`${catalogue}/catalogue-items`, all, 201)
      return body.map(({ id }: { id: string }) => monitor.replace(/[^/]*$/, id))
    }
    const devices = await create(
      some.map((text, number) => ({
        catalogueItemType: 'DeviceModel',
        identifiers: identifiersOf(text, `${number}-`),
        ...{ name: text, manufacturer: text, model: text, version: text, description: text },
        annotations: isAnnotationName(text) ? [{ buyer, name: text, value }] : []
      }))
    )
    const services = some.map((text, number) => ({
      ...{ catalogueItemType: 'Service', serviceType: 'REPAIR', name: text, description: `${number}${text}` },
      relatedTo: devices[number]
    }))
    await create(services.filter(({ description }) => description.length <= 4000))

    const before = await contentOf(app.sql)
    const path = `/catalogue/${url.split('/').at(-1)}`
    for (const language of ['en', 'da']) {
      const file: Buffer = (await clerk.get(`${excel}${path}?language=${language}`, 200)).body
      const { status, body } = await upload(clerk, 'PUT', path, file)
      const counts = { created: 0, changed: 0, annotations: { created: 0 } }
      const found = { status, catalogueChange: body.catalogueChange, ...body }
      const what = JSON.stringify([name, language, body.faults])
      t.match(found, { status: 200, catalogueChange: 'unchanged', ...counts }, what)
      t.same(await contentOf(app.sql), before)
    }
  }
})
