import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { bodies, writerOf } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { assertRejections, type FaultyRequest, outcome, payloadOf } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, orders, pathOf, patient, replace, withQuery } from '../fixtures/world.js'

t.test('resourceUrls', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const full = bodies(g)
  const service = {
    ...full[`${catalogue}/catalogue-item`],
    catalogueItemType: 'Service',
    serviceType: 'REPAIR'
  }
  const references: [path: string, pointer: string, good: string, body: (url: string) => object][] = [
    ...(
      [
        [`${orders}/contract`, 'seller', g.seller],
        [`${orders}/contract`, 'account', g.account],
        [`${orders}/order`, 'buyer', g.buyer],
        [`${orders}/order`, 'seller', g.seller],
        [`${orders}/order-line`, 'order', g.order],
        [`${orders}/order-line`, 'item', g.monitor],
        [`${catalogue}/catalogue`, 'seller', g.seller],
        [`${catalogue}/catalogue-item`, 'catalogue', g.catalogue],
        [`${catalogue}/annotation`, 'catalogueItem', g.monitor],
        [`${catalogue}/annotation`, 'buyer', g.buyer],
        [`${catalogue}/white-list`, 'buyer', g.buyer],
        [`${catalogue}/white-list`, 'item', g.monitor],
        [`${catalogue}/black-list`, 'item', g.monitor]
      ] as const
    ).map(([path, name, good]): [string, string, string, (url: string) => object] => {
      const order = path.endsWith('order-line') ? { order: g.order } : {}
      const item = path.endsWith('white-list') ? { item: g.monitor } : {}
      return [path, `/${name}`, good, (url) => ({ ...full[path], ...order, ...item, [name]: url })]
    }),
    [`${orders}/contract`, '/buyer/0', g.buyer, (url) => ({ ...full[`${orders}/contract`], buyer: [url] })],
    [
      `${catalogue}/catalogue-item`,
      '/relatedTo',
      g.monitor,
      (url) => ({ ...service, manufacturer: null, model: null, version: null, relatedTo: url })
    ]
  ]

  t.test('unresolvable references in bodies', async (t) => {
    await writingNothing(t, app.sql, async () => {
      for (const [path, pointer, good, body] of references) {
        const cases = [
          ...hostile(good),
          ...[g.order, g.buyer, g.monitor].filter((url) => kindOf(url) !== kindOf(good))
        ]
        await assertRejections(
          t,
          writerOf(g, path),
          cases.map((url): FaultyRequest => {
            const request: InjectOptions = { method: 'POST', url: path, ...payloadOf(body(url)) }
            return [`POST ${path} ${pointer} ${url}`, request, `422 dangling-reference ${pointer}`]
          })
        )
      }
    })
  })

  t.test('an error shows the form of a reference to another host', async (t) => {
    const body = full[`${orders}/order`] as { buyer: string }
    const send = (buyer: string) => g.nurse.post(`${orders}/order`, { ...body, buyer })
    const detailOf = async (buyer: string) => (await send(buyer)).body.errors[0].detail
    const which = 'It must be the URL of a party of your organization'
    const form = g.buyer.replace(idOf(g.buyer), '{id}')
    t.equal(await detailOf(g.buyer.replace(new URL(g.buyer).host, 'other.example')), `${which}: ${form}.`)
    t.equal(await detailOf(unknown(g.buyer)), `${which}.`)
  })

  t.test('an error shows the form of a reference in place of a bare id', async (t) => {
    const formOf = (url: string) => url.replace(idOf(url), '{id}')
    const line = { order: g.order, item: g.monitor, action: 'PICKUP' }
    for (const [path, pointer, good, body] of [
      ...references,
      [`${orders}/order-line`, '/relatedTo', g.line, (relatedTo: string) => ({ ...line, relatedTo })]
    ] as const) {
      const response = await writerOf(g, path).post(path, body(idOf(good)), 422)
      t.match(response.body.errors, [{ pointer, detail: `: ${formOf(good)}.` }], `${path} ${pointer}`)
    }
    const several = [{ line: idOf(g.line), patch: [replace('/action', 'PICKUP')] }]
    const patched = await g.nurse.patch(`${orders}/order-lines`, several, 422)
    t.match(patched.body.errors[0].detail, `: ${formOf(g.line)}.`)
    const asked = { buyer: g.buyer, patient: patient('p1'), items: [idOf(g.monitor)] }
    const [{ reasons }] = (await g.nurse.post(`${orders}/orderability`, asked, 200)).body
    t.match(reasons[0].detail, `: ${formOf(g.monitor)}.`)
    for (const [parameter, good] of [
      ['order', g.order],
      ['item', g.monitor],
      ['relatedTo', g.line]
    ] as const) {
      const query = withQuery(`${orders}/order-lines`, { [parameter]: idOf(good) })
      const { body } = await g.nurse.get(query, 400)
      t.equal(body.errors[0].detail, `It must be a resource URL: ${formOf(good)}.`)
    }
    const clinical =
      'It must be the full URL of a clinical Patient, with http:// or https://, and end with Patient/<id>.'
    const list = await g.nurse.get(withQuery(`${orders}/orders`, { patient: idOf(g.order) }), 400)
    t.match(list.body.errors[0].detail, clinical)
    const receiver = { name: 'N', patient: idOf(g.order) }
    const draft = { ...full[`${orders}/order`], receiver }
    t.match((await g.nurse.post(`${orders}/order`, draft, 422)).body.errors[0].detail, clinical)
  })

  t.test('references in queries', async (t) => {
    const filters = [
      ['buyer', `${catalogue}/catalogue-items`, g.buyer],
      ['catalogue', `${catalogue}/catalogue-items`, g.catalogue],
      ['item', `${catalogue}/white-lists`, g.monitor],
      ['order', `${orders}/trace-lines`, g.order],
      ['orderLine', `${orders}/trace-lines`, g.line],
      ['order', `${orders}/order-lines`, g.order],
      ['item', `${orders}/order-lines`, g.monitor],
      ['relatedTo', `${orders}/order-lines`, g.line],
      ['deviceItem', `${orders}/order-lines`, g.monitor],
      ['buyer', `${orders}/orders`, g.buyer],
      ['seller', `${orders}/orders`, g.seller],
      ['buyer', `${orders}/contracts`, g.buyer],
      ['seller', `${orders}/contracts`, g.seller],
      ['account', `${orders}/contracts`, g.account],
      ['seller', `${catalogue}/catalogues`, g.seller],
      ['seller', `${catalogue}/catalogue-items`, g.seller],
      ['relatedTo', `${catalogue}/catalogue-items`, g.monitor],
      ['buyer', `${catalogue}/annotations`, g.buyer],
      ['buyer', `${catalogue}/white-lists`, g.buyer],
      ['catalogueItem', `${catalogue}/annotations`, g.monitor],
      ['catalogue', `${catalogue}/annotations`, g.catalogue],
      ['item', `${catalogue}/black-lists`, g.monitor]
    ] as const
    for (const [name, path, good] of filters) {
      const others = path.endsWith('black-lists') ? { patient: patient('p1') } : {}
      const ask = (url: string) => g.nurse.get(withQuery(path, { ...others, [name]: url }))
      for (const url of [
        '',
        'x',
        idOf(good),
        pathOf(good),
        'javascript:alert(1)',
        `${new URL(good).origin}/x`,
        ` ${good}`,
        ...[',', ', ', ';', ' ', '|'].map((separator) => `${good}${separator}${good}`),
        ...[`https://other.example/x,${good}`, `${good},`, `${good},${idOf(good)}`]
      ])
        t.equal(outcome(await ask(url)), `400 invalid-query /${name}`, `${name}=${url}`)
      for (const url of [unknown(good), good.replace('127.0.0.1', 'other.example')])
        t.equal(outcome(await ask(url)), '200 none', `${name}=${url}`)
      for (const url of hostile(good))
        t.match(outcome(await ask(url)), /^(200 none|400 invalid-query \/\w+)$/, `${name}=${url}`)
    }
  })

  t.test('finds audit events only by the URL of an order of this server', async (t) => {
    for (const [order, wanted] of [
      [g.order, '200 some'],
      [g.order.replace('127.0.0.1', 'other.example'), '200 none']
    ] as const) {
      const response = await g.nurse.get(withQuery(`${orders}/audit-events`, { order }))
      t.equal(outcome(response), wanted, order)
    }
  })

  t.test('rejects a list of patients, and says how to send several items', async (t) => {
    const list = (url: string) => encodeURIComponent([url, url].join())
    const paths = [`${orders}/orders`, `${orders}/order-lines`, `${orders}/audit-events`]
    for (const path of [...paths, `${catalogue}/black-lists`, `${catalogue}/catalogue-items`]) {
      const response = await g.nurse.get(`${path}?patient=${list(patient('p1'))}`)
      t.equal(outcome(response), '400 invalid-query /patient', path)
    }
    const order = await g.nurse.get(`${orders}/audit-events?order=${list(g.order)}`)
    t.equal(outcome(order), '400 invalid-query /order')
    const { body } = await g.nurse.get(`${orders}/order-lines?deviceItem=${list(g.monitor)}`, 400)
    t.equal(body.errors[0].detail, 'It must be one URL; repeat the parameter for each further URL.')
  })
})

const kindOf = (url: string) => url.slice(0, url.lastIndexOf('/'))
const unknown = (url: string) => url.replace(idOf(url), unknownId)

/**
 * Texts that resemble references of this server, or references to missing resources.
 * platform/resource-urls has the forms.
 */
function hostile(good: string): string[] {
  const { origin, host, pathname } = new URL(good)
  const [kind = '', id = ''] = pathname.split('/').slice(-2)
  return [
    ...['', 'null', id, pathname, 'javascript:alert(1)', `//${host}${pathname}`],
    ...[`https://evil.example${pathname}`, `${origin}@evil.example${pathname}`, `https://${host}${pathname}`],
    ...['//', '?x=1', '#', '/details', ';x', '%20', ' ', '\n'].map((end) => good + end),
    ...[` ${good}`, good.replace(`/${kind}/`, `/${kind}s/`), good.replace('/v1/', '/v1/x/../')],
    ...[unknown(good), good.replace(id, ''), good.replace(id, `{${id}}`), good.replace(id, "x' or 1=1 --")]
  ]
}
