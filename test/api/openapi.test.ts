import t from 'tap'
import { makeApiDocuments } from '../../scripts/api-documents.js'
import { allProblems } from '../../src/app.js'
import { testApp } from '../fixtures/app.js'
import { type Document, type Json, type Operation, operationsOf, schemasIn } from '../fixtures/documents.js'
import { validatorOf } from '../fixtures/judge.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { allRoutes as table } from '../fixtures/routes/table.js'
import { orders, party, world } from '../fixtures/world.js'

const apis = ['ssl-catalogue', 'ssl-order', 'ssl-catalogue-excel'] as const

/** Addresses of lists in the singular, which work and are not documented. */
const aliases = [
  ...['catalogue', 'catalogue-item', 'white-list', 'black-list'].map((path) => `/ssl-catalogue/v1/${path}`),
  ...['party', 'contract', 'order', 'order-line'].map((path) => `/ssl-order/v1/${path}`)
]

const app = await testApp(t)
const made = await makeApiDocuments()
const documents = await Promise.all(
  apis.map(async (api): Promise<[(typeof apis)[number], Document]> => {
    const { body } = await app.as().get(`/${api}/v1/openapi.json`, 200)
    return [api, body as Document]
  })
)

/** Every operation by its route. */
const all = documents.flatMap(([api, document]) =>
  operationsOf(document).map(([name, operation]): [string, Operation] => [
    name.replace(' ', ` /${api}/v1`).replace(/\{(\w+)\}/g, ':$1'),
    operation
  ])
)

for (const [api, document] of documents)
  t.test(api, async (t) => {
    const operations = operationsOf(document)
    const validate = validatorOf(document)
    const schemas = [
      ...Object.entries(document.definitions).flatMap(([name, schema]) => schemasIn(schema, name)),
      ...operations.flatMap(([name, operation]) => schemasOf(name, operation))
    ]

    t.test('has only members of OpenAPI 2.0', async (t) => {
      const foreign = ['anyOf', 'oneOf', 'const', 'nullable', 'patternProperties', 'examples', '$id']
      for (const [at, schema] of schemas) {
        const found = foreign.filter((name) => name in schema)
        t.same(found, [], at)
        if (schema.type !== undefined) t.type(schema.type, 'string', `type of ${at}`)
      }
      for (const [name, { parameters = [] }] of operations)
        for (const each of parameters.filter((one) => one.in === 'query' && one.type === 'array'))
          t.equal(each.collectionFormat, 'multi', `${name} ${each.name}`)
    })

    t.test('describes every operation, parameter and member', async (t) => {
      const texts: [string, unknown][] = [
        ['the document', document.info.description],
        ...document.tags.map(({ name, description }): [string, unknown] => [`tag ${name}`, description]),
        ...operations.flatMap(([name, operation]) => textsOf(name, operation)),
        ...schemas
          .filter(([, schema]) => schema.$ref === undefined && schema.allOf === undefined)
          .map(([at, { description }]): [string, unknown] => [at, description])
      ]
      const missing = texts.filter(([, text]) => typeof text !== 'string' || text.length < 4)
      t.same(
        missing.map(([at]) => at),
        []
      )
      t.ok(texts.length > operations.length * 8)
    })

    t.test('has a valid example for every body', async (t) => {
      for (const [at, schema] of schemas.filter(([, each]) => 'example' in each)) {
        const check = validate(schema)
        t.ok(check(schema.example), `example of ${at}: ${JSON.stringify(check.errors)}`)
      }
      for (const [name, { parameters = [], responses }] of operations) {
        const body = parameters.find((each) => each.in === 'body')?.schema
        if (body) t.ok('example' in resolved(document, body), `${name}: body has an example`)
        for (const [status, { schema, examples }] of Object.entries(responses)) {
          if (!schema || Number(status) >= 400) continue
          const check = validate(schema)
          t.ok(check(examples?.['application/json']), `${name} ${status}: ${JSON.stringify(check.errors)}`)
        }
      }
    })

    t.test('lists each problem code of an operation with its status', async (t) => {
      for (const [name, { responses }] of operations) {
        for (const status of ['401', '403', '500', '503']) t.ok(responses[status], `${name} ${status}`)
        for (const [status, { description, examples, 'x-codes': codes = [] }] of Object.entries(responses)) {
          t.equal(codes.length > 0, Number(status) >= 400, `${name} ${status} has codes`)
          for (const code of codes) {
            t.match(description, `\`${code}\``, `${name} ${status}`)
            t.match(document.info.description, `| \`${code}\` | ${status} |`, `${name}: ${code}`)
          }
          const [first] = codes
          const { title, remedy } = allProblems[first as keyof typeof allProblems] ?? {}
          if (first)
            t.match(
              examples?.['application/json'],
              { code: first, status: Number(status), title: title?.en, detail: remedy?.en },
              `${name} ${status} has the text of its first code`
            )
        }
      }
    })

    t.test('equals the document that is made without a database', async (t) => {
      t.strictSame(document, made.openApi20[api])
    })
  })

t.test('the documents contain exactly the routes of the program', async (t) => {
  const documented = all.map(([name]) => name)
  const isAlias = (name: string) => aliases.some((each) => name === `GET ${each}`)
  const routes = Object.keys(table).filter((name) => !isAlias(name))
  t.same(documented.sort(), routes.sort())
})

t.test(
  'documents show the paths of parties and contracts with a slash; the server accepts both forms',
  async (t) => {
    const paths = Object.keys(new Map(documents).get('ssl-order')?.paths ?? {})
    t.same(
      paths.filter((path) => /^\/(party|contract|order)\/?$/.test(path)),
      ['/party/', '/contract/', '/order']
    )
    const { clerk } = await world(app)
    for (const path of ['/party', '/party/']) {
      const body = party('slashed', 'SELLER')
      const id = idOf(await clerk.create(orders + path, body))
      await clerk.put(orders + path, { ...body, id }, 204)
    }
  }
)

t.test('the documents list the codes of every status, role, type and code', async (t) => {
  // Annotations and value sets have codes of any system, events have codes of several resources,
  // and FHIR codings are constant. The server ignores the value of these input members.
  const open =
    /^(ValueSet|EventData|Annotation|ItemAnnotationInput|ReturnedAnnotationInput|AuditEvent|Coding|OrderInput.(allowedStatuses|attention|awaiting)|(New)?OrderLineInput.allowedStatuses)/
  const closed =
    /^(status|oldStatus|newStatus|action|role|userType|serviceType|catalogueItemType|code|state|phase|op|allowedRoles|allowedStatuses|attention|awaiting)$/
  const found = new Set<string>()
  for (const [api, { definitions }] of documents) {
    const codesOf = (schema: Json): unknown => {
      const [part] = (schema.allOf as Json[] | undefined) ?? [schema]
      const name = String(part?.$ref ?? '').replace('#/definitions/', '')
      const whole = definitions[name] ?? part
      const items = whole?.items as Json | undefined
      return whole?.enum ?? items?.enum ?? (whole?.properties as Record<string, Json>)?.code?.enum
    }
    for (const [at, schema] of Object.entries(definitions).flatMap(([name, each]) => schemasIn(each, name))) {
      const member = at.split('/').at(-1) ?? ''
      if (
        !closed.test(member) ||
        open.test(at) ||
        !at.includes('/') ||
        schema.type === 'integer' ||
        schema['x-null-only']
      )
        continue
      found.add(member)
      t.ok(Array.isArray(codesOf(schema)), `${api} ${at}`)
    }
  }
  t.ok(found.size >= 11, [...found].join())
})

t.test('two forms of a response are two schemas with their required members', async (t) => {
  const definitions = documents.find(([api]) => api === 'ssl-order')?.[1].definitions ?? {}
  t.match(definitions.OrderDetails, {
    required: ['order', 'orderLines', 'traceLines'],
    'x-with-parameter': { 'form=flat': { $ref: '#/definitions/OrderDetailsFlat' } }
  })
  const required = [definitions.OrderDetailsFlat, definitions.Order].map((each) => each?.required as string[])
  t.same(required[0], [...(required[1] ?? []), 'orderLines', 'traceLines'])
  t.same(definitions.ExpandedOrderList?.required, ['entries', 'expanded'])
})

t.test('operation ids are unique and documented access rules are enforced', async (t) => {
  t.equal(new Set(all.map(([, { operationId }]) => operationId)).size, all.length)
  for (const [name, operation] of all) {
    const row = table[name]
    t.match(operation.description, `\`${row?.permission}\``, name)
    for (const userType of Object.keys(row?.who ?? {}))
      t.match(operation.description, `- ${userType}: `, `${name} ${userType}`)
    t.same(operation.security, [{ token: [] }], `${name} requires a token`)
  }
})

function schemasOf(name: string, { parameters = [], responses }: Operation): [string, Json][] {
  return [
    ...parameters.flatMap(({ name: parameter, schema }) =>
      schema ? schemasIn(schema, `${name} ${parameter}`) : []
    ),
    ...Object.entries(responses).flatMap(([status, { schema }]) =>
      schema ? schemasIn(schema, `${name} ${status}`) : []
    )
  ]
}

function textsOf(name: string, { summary, description, parameters = [], responses }: Operation) {
  return [
    [`${name} summary`, summary],
    [`${name} description`, description],
    ...parameters.flatMap((each) => [
      [`${name} ${each.name}`, each.description],
      ...(each.items ? [[`${name} ${each.name} items`, (each.items as Json).type]] : [])
    ]),
    ...Object.entries(responses).flatMap(([status, { description, headers = {} }]) => [
      [`${name} ${status}`, description],
      ...Object.entries(headers).map(([header, each]) => [`${name} ${status} ${header}`, each.description])
    ])
  ] as [string, unknown][]
}

function resolved(document: Document, schema: Json): Json {
  const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/definitions/', '') : ''
  return document.definitions[name] ?? schema
}
