import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Json } from '../fixtures/documents.js'
import { excel } from '../fixtures/excel/client.js'
import { catalogue, orders, pathOf, replace } from '../fixtures/world.js'

interface Media {
  schema: Json
  example?: unknown
}
interface Operation31 {
  parameters?: (Json & { name: string })[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}
interface Document31 {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation31>>
  components: { schemas: Record<string, Json> }
}

const { app, w } = await testWorld(t)
const documents = await Promise.all(
  [catalogue, orders, excel].map(
    async (api) => [api, (await app.as().get(`${api}/openapi-3.1.json`, 200)).body as Document31] as const
  )
)
const ofOrders = documents.find(([api]) => api === orders)?.[1] as Document31

/** Validates values by the schema at a JSON Pointer of a document. */
function validatorAt(document: Document31) {
  const ajv = formats.default(new Ajv2020({ strict: false, inlineRefs: false }))
  ajv.addSchema({ $id: 'document', ...document })
  return (pointer: readonly string[]) => {
    const path = pointer.map((each) => encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1')))
    return ajv.compile({ $ref: `document#/${path.join('/')}` })
  }
}

/** The pointer to the schema of a response. */
const responseIn = (path: string, method: string, status: string, type: string) => [
  ...['paths', path, method, 'responses', status, 'content', type, 'schema']
]

for (const [api, document] of documents)
  t.test(`${api} in OpenAPI 3.1`, async (t) => {
    t.equal(document.openapi, '3.1.0')
    t.match(document.servers[0]?.url, new RegExp(`${api}$`))
    const validator = validatorAt(document)

    t.test('has the operations of the document in OpenAPI 2.0, with their responses', async (t) => {
      const { body } = await app.as().get(`${api}/openapi.json`, 200)
      const shapeOf = (paths: Document31['paths']) =>
        Object.entries(paths).flatMap(([path, item]) =>
          Object.entries(item).map(([method, { responses }]) => [path, method, Object.keys(responses)])
        )
      t.same(shapeOf(document.paths), shapeOf(body.paths))
    })

    t.test('has a valid example of every response', async (t) => {
      let count = 0
      for (const [path, item] of Object.entries(document.paths))
        for (const [method, { responses }] of Object.entries(item))
          for (const [status, { content = {} }] of Object.entries(responses))
            for (const [type, { example }] of Object.entries(content)) {
              if (!type.includes('json') || example === undefined) continue
              const validate = validator(responseIn(path, method, status, type))
              t.ok(validate(example), `${method} ${path} ${status}: ${JSON.stringify(validate.errors)}`)
              count++
            }
      t.ok(count > 20)
    })

    t.test('has no OpenAPI 2.0 keyword that replaces a keyword of JSON Schema', async (t) => {
      const own = /"(x-nullable|x-null-only|x-alternative-types|x-with-parameter|nullable|collectionFormat)":/
      t.notMatch(JSON.stringify([document.paths, document.components]), own)
    })
  })

t.test('schemas of bodies accept the same bodies as the server', async (t) => {
  const validate = validatorAt(ofOrders)(['components', 'schemas', 'OrderInput'])
  const parties = {
    buyer: w.buyer,
    seller: w.seller,
    receiver: { name: 'Asta', patient: 'https://x.example/p' }
  }
  const coding = { system: 'https://valuesets.example/vs/order-status', code: 'DRAFT' }
  for (const status of ['DRAFT', null, coding]) t.ok(validate({ ...parties, status }), JSON.stringify(status))
  for (const status of ['DRAFTED', 1, { code: 'DRAFT' }])
    t.notOk(validate({ ...parties, status }), JSON.stringify(status))
  const patch = validatorAt(ofOrders)(['components', 'schemas', 'PatchOperation'])
  for (const value of ['SUBMITTED', null, 1, ['a'], { code: 'SUBMITTED' }])
    t.ok(patch(replace('/status', value)), JSON.stringify(value))
  t.notOk(patch({ op: 'replace', path: '/status' }), 'without a value')
  t.notOk(patch({ op: 'move', path: '/a' }), 'without a source')
})

t.test('responses are as described, in each form', async (t) => {
  const { order } = await w.submitted(1)
  const cases = [
    ['/order/{id}/details', `${pathOf(order)}/details`],
    ['/order/{id}/details', `${pathOf(order)}/details?form=flat`],
    ['/orders', `${orders}/orders`],
    ['/orders', `${orders}/orders?expand=orderLines,items`]
  ] as const
  for (const [path, url] of cases) {
    const validate = validatorAt(ofOrders)(responseIn(path, 'get', '200', 'application/json'))
    const { body } = await w.nurse.get(url, 200)
    t.ok(validate(body), `${url}: ${JSON.stringify(validate.errors)}`)
    t.notOk(validate({ ...body, orderLines: 1, entries: 1 }), `${url}: something else is refused`)
  }
})
