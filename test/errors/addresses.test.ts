import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { idOf, methods, pathsOf, unknownId } from '../fixtures/routes/addresses.js'
import { bodies } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import {
  assertRejections,
  type FaultyRequest,
  outcome,
  problemViolations
} from '../fixtures/routes/refusal.js'
import { callOf, ownerOrganization } from '../fixtures/routes/rows.js'
import { table } from '../fixtures/routes/table.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, orders, pathOf } from '../fixtures/world.js'

t.test('addresses, queries and media types', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const get = (url: string): InjectOptions => ({ method: 'GET', url })
  const traces = `${orders}/trace-lines?order=${encodeURIComponent(g.order)}`
  const items = `${catalogue}/catalogue-items`

  t.test('addresses', async (t) => {
    await assertRejections(t, g.nurse, [
      ['nowhere', get('/nowhere'), '404 not-found'],
      ['the folder of the first page', get('/home'), '404 not-found'],
      ['another version', get(`${orders.replace('v1', 'v2')}/party/${unknownId}`), '404 not-found'],
      ['an extra id', get(`${pathOf(g.order)}/details/${unknownId}`), '404 not-found'],
      ['NUL in an id', get(`${orders}/order/%00`), '400 malformed-text'],
      ['NUL after an id', get(`${pathOf(g.order)}%00`), '400 malformed-text'],
      ['NUL in a query', get(`${items}?q=%00`), '400 malformed-text'],
      ['NUL in a query’s name', get(`${items}?%00=1`), '400 malformed-text'],
      ['NUL nowhere', get('/%00'), '400 malformed-text'],
      ...['%', '%2', '%zz', '%c3%28', '%ff', '%ed%a0%80'].flatMap((text): FaultyRequest[] => [
        [`the path ${text}`, get(`${orders}/order/${text}`), '400 bad-request'],
        [`the query ${text}`, get(`${items}?q=${text}`), '400 invalid-query']
      ]),
      ['a query over 8 KiB', get(`${items}?q=${'x'.repeat(8193)}`), '414 query-too-long'],
      ['a query over 8 KiB of an unknown URL', get(`/nowhere?${'x'.repeat(8193)}`), '414 query-too-long']
    ])
  })

  t.test('unknown query parameters', async (t) => {
    for (const [route, row] of Object.entries(table)) {
      const { userType, request } = await callOf(g, route, row)
      const url = `${request.url}${request.url.includes('?') ? '&' : '?'}colour=red`
      const response = await app.as(userType, ownerOrganization(userType)).send({ ...request, url })
      t.equal(outcome(response), '400 invalid-query /colour', route)
    }
  })

  t.test('several faulty query parameters', async (t) => {
    const cases = {
      [`${items}?limit=0&colour=red&status=x&annotation=x&seller=x&serviceType=x`]:
        'colour limit annotation status seller serviceType',
      [`${orders}/orders?sort=x&count=1&status=y&buyer=z&expand=w`]: 'sort count buyer status expand',
      [`${orders}/order-lines?limit=0&sort=agreedFrom&deviceItem=x&action=y&expand=w`]:
        'limit deviceItem action sort expand',
      [`${catalogue}/black-lists?limit=0&item=x`]: 'limit patient item',
      [`${catalogue}/black-lists?patient=a&patient=b&item=x`]: 'patient item'
    }
    for (const [url, wanted] of Object.entries(cases)) {
      const { status, body } = await g.nurse.get(url)
      t.equal(status, 400)
      const named = body.errors.map(({ pointer }: { pointer: string }) => pointer.slice(1))
      t.same(named.sort(), wanted.split(' ').sort(), url)
      for (const name of named) t.match(body.detail, name)
    }
  })

  t.test('unknown ids', async (t) => {
    const ids = [
      ...['x', '1', unknownId, unknownId.replaceAll('-', ''), `{${unknownId}}`, `${unknownId}0`, '%20', '..'],
      ...["'", '*', 'a'.repeat(501), 'a'.repeat(5000), `${unknownId}${'/'.repeat(3)}`],
      idOf(g.order).toUpperCase()
    ]
    const routes = Object.entries(table).filter(([route]) => route.includes('/:id'))
    const calls = await Promise.all(
      routes.map(async ([route, row]) => ({ route, ...(await callOf(g, route, row)) }))
    )
    await writingNothing(t, app.sql, async () => {
      for (const { route, userType, request, resource } of calls)
        for (const id of ids) {
          const url = request.url.replace(idOf(resource), id)
          const response = await app.as(userType, ownerOrganization(userType)).send({ ...request, url })
          t.equal(outcome(response), '404 not-found', `${route} ${id.slice(0, 40)}`)
        }
    })
  })

  t.test('cursors', async (t) => {
    const { headers } = await g.nurse.get(`${traces}&limit=1`, 200)
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.link ?? '') ?? []
    const cursor = new URL(next).searchParams.get('after') ?? ''
    t.ok(cursor, 'there is another page')
    const after = (text: string, path = `${orders}/trace-lines`) =>
      get(`${path}?after=${encodeURIComponent(text)}`)
    const flipped = `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`
    await assertRejections(t, g.nurse, [
      ...[
        'x',
        '',
        '....',
        'null',
        '{}',
        Buffer.from('{"url":"x"}').toString('base64url'),
        'A'.repeat(8000)
      ].map((text): FaultyRequest => [`after=${text.slice(0, 20)}`, after(text), '400 invalid-query /after']),
      ['one bit changed', after(flipped), '400 invalid-query /after'],
      ['cut short', after(cursor.slice(0, -4)), '400 invalid-query /after'],
      ['a cursor of another list', after(cursor, items), '400 invalid-query'],
      ['with a filter', get(`${traces}&after=${cursor}`), '400 invalid-query'],
      ['too long', after('A'.repeat(8193)), '414 query-too-long']
    ])
    t.equal(outcome(await g.otherNurse.send(after(cursor))), '200 none', 'a cursor reveals nothing to others')
    t.notMatch(Buffer.from(cursor, 'base64url').toString('latin1'), /trace-lines/, 'a cursor is opaque')
  })

  t.test('methods', async (t) => {
    for (const path of pathsOf(app.app).filter((each) => !each.includes('*'))) {
      const url = path.replace(':id', unknownId)
      const responses = await Promise.all(
        methods.map((method) => app.app.inject({ method: method as 'GET', url }))
      )
      const known = methods.filter((_, at) => responses[at]?.statusCode !== 405)
      for (const [at, { statusCode, headers, body }] of responses.entries()) {
        const method = methods[at] ?? ''
        if (statusCode !== 405) continue
        t.equal(headers.allow, [...known].sort().join(', '), `${method} ${path}: Allow`)
        if (method === 'HEAD') continue
        const response = {
          status: statusCode,
          headers: headers as Record<string, string>,
          body: JSON.parse(body)
        }
        t.same(problemViolations(response), [], `${method} ${path}: a well-formed problem`)
      }
    }
    t.equal(outcome(await g.clerk.put(`${orders}/order`, {})), '405 method-not-allowed')
    t.equal(outcome(await g.clerk.delete(pathOf(g.buyer))), '405 method-not-allowed')
    t.equal(outcome(await g.nurse.patch(pathOf(g.buyer), [])), '405 method-not-allowed')
  })

  t.test('media types', async (t) => {
    const wanted = '415 unsupported-media-type'
    const payload = JSON.stringify(bodies(g)[`${orders}/party`])
    const types = [
      'text/plain',
      'text/json',
      'application/jsonx',
      'application/xml',
      'application/octet-stream',
      'json',
      '*/*'
    ]
    const odd = ['application/json-patch+json', 'application/merge-patch+json', 'application/fhir+json']
    const forms = ['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']
    const party = (type?: string): FaultyRequest => {
      const headers = type === undefined ? {} : { 'content-type': type }
      return [`POST as ${type}`, { method: 'POST', url: `${orders}/party`, payload, headers }, wanted]
    }
    const patch = (type: string): FaultyRequest => [
      `PATCH as ${type}`,
      { method: 'PATCH', url: pathOf(g.order), payload: '[]', headers: { 'content-type': type } },
      wanted
    ]
    await writingNothing(t, app.sql, async () => {
      await assertRejections(t, g.clerk, [...types, ...odd, ...forms].map(party))
      await assertRejections(t, g.clerk, [party(undefined)])
      await assertRejections(t, g.nurse, ['application/merge-patch+json', 'text/plain'].map(patch))
    })
    for (const type of ['application/json', 'Application/JSON', 'application/json; charset=utf-8']) {
      const sent = {
        method: 'POST',
        url: `${orders}/party`,
        payload,
        headers: { 'content-type': type }
      } as const
      t.equal((await g.clerk.send(sent)).status, 201, `${type} is accepted`)
    }
    for (const accept of [
      'application/problem+json',
      'text/html, application/problem+json;q=0.9',
      'application/json'
    ]) {
      const response = await g.nurse.send({ ...get('/nowhere'), headers: { accept } })
      const problem = accept.includes('problem') ? 'application/problem+json' : 'application/json'
      t.same(problemViolations(response, problem), [], `accept: ${accept}`)
    }
  })
})
