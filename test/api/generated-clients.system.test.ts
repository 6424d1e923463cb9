import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { requireTool, missingTools as skip } from '../../scripts/document-tools.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { projectRoot } from '../../src/platform/util/project-root.js'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { type Document, documentsOf, judgeOf, operationsOf } from '../fixtures/fuzz/documents.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { vs } from '../fixtures/routes/bodies.js'
import { refusalErrors } from '../fixtures/routes/refusal.js'
import { freePort } from '../fixtures/server.js'
import { program, settings } from '../fixtures/typed-client.js'
import { moveTo, organization, patient } from '../fixtures/world.js'

/** Clients made from the documents: one built at run time, one generated and compiled. */

interface Sent {
  status: number
  headers: Record<string, string>
  /** The body; a Blob unless it is text. */
  data: string | Blob
  /** The body, parsed. */
  obj?: unknown
}

/** The part of swagger-client used here. */
interface Client {
  spec: Document
  execute(wish: { operationId: string; parameters: object }): Promise<Sent>
}
type OpenClient = (wish: { url: string; authorizations: object }) => Promise<Client>

/** The part of swagger-typescript-api used here. */
interface Generator {
  generateApi(wish: { fileName: string; spec: object; output: false; silent: true }): Promise<{
    files: { fileName: string; fileExtension: string; fileContent: string }[]
  }>
}

/** Calls an operation by its id, with named parameters. */
type Does = (operationId: string, parameters: object, expected: number) => Promise<ApiResponse>

/**
 * Actors that know only the URLs of the two documents and their tokens, and the operations called
 * so far.
 */
async function actors(t: Test) {
  const openClient: OpenClient = requireTool('swagger-client')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { app } = await testApp(t, { PUBLIC_URL: url })
  await app.listen({ host: '127.0.0.1', port })
  const done = new Set<string>()

  async function actor(userType: UserType, of: string): Promise<Does> {
    const token = unsignedToken({ userType, organization: organization(of) })
    const clients = await Promise.all(
      ['ssl-catalogue', 'ssl-order'].map(async (api) => {
        const client = await openClient({
          url: `${url}/${api}/v1/openapi.json`,
          authorizations: { token }
        })
        return { client, judge: judgeOf(client.spec), operations: operationsOf(client.spec) }
      })
    )
    return async (operationId, parameters, expected) => {
      const [found] = clients.flatMap(({ operations, ...rest }) =>
        operations.filter(({ id }) => id === operationId).map((operation) => ({ operation, ...rest }))
      )
      if (!found) throw new Error(`No document has an operation ${operationId}.`)
      const { client, judge, operation } = found
      const wish = { operationId, parameters }
      const { status, headers, data, obj } = await client
        .execute(wish)
        .catch((refusal: { response?: Sent }) => refusal.response ?? Promise.reject(refusal))
      const length = typeof data === 'string' ? data.length : data.size
      const response: ApiResponse = { status, headers, body: length === 0 ? undefined : (obj ?? data) }
      t.equal(status, expected, `${operationId} answers ${expected}`, { answered: obj })
      t.same(
        judge(operation, response, (parameters as { body?: unknown }).body),
        [],
        `${operationId} as documented`
      )
      if (status >= 400) t.same(refusalErrors(response), [], `${operationId}: a well-formed problem`)
      done.add(operationId)
      return response
    }
  }

  const documents = await documentsOf(app)
  const left = () =>
    documents.flatMap((document) =>
      operationsOf(document)
        .filter(({ id }) => !done.has(id))
        .map(({ id }) => id)
    )
  return {
    clerk: await actor('AdministrativeClerk', 'region'),
    nurse: await actor('MonitoringResponsible', 'region'),
    provider: await actor('Provider', 'provider'),
    left
  }
}

t.test('a client built from the documents calls every operation', { skip }, async (t) => {
  const { clerk, nurse, provider, left } = await actors(t)
  const made = async (does: Does, operationId: string, body: object) => {
    const { headers } = await does(operationId, { body }, 201)
    return headers.location ?? ''
  }
  /** Reads a resource and checks that the lists contain it. */
  async function read(does: Does, type: string, url: string, lists: string[], filters: object = {}) {
    const { body } = await does(`get${type}`, { id: idOf(url) }, 200)
    for (const list of lists) {
      const page = await does(list, filters, 200)
      t.ok(
        page.body.some(({ id }: { id: string }) => id === idOf(url)),
        `${list} has it`
      )
    }
    return body
  }

  const party = (name: string, ...allowedRoles: string[]) => ({
    allowedRoles,
    name,
    organization: organization(name)
  })
  const buyer = await made(clerk, 'createParty', party('region', 'BUYER'))
  const seller = await made(clerk, 'createParty', { ...party('provider', 'SELLER'), email: 'a@example.org' })
  const account = await made(clerk, 'createParty', party('region', 'ACCOUNTING'))
  await nurse('createParty', { body: party('region', 'BUYER') }, 403)
  await clerk('createParty', { body: { name: 'nobody' } }, 400)
  await read(nurse, 'Party', buyer, ['listParty'])
  t.same((await nurse('getMe', {}, 200)).body.parties, [buyer, account])
  const [set] = (await nurse('listValueSet', {}, 200)).body
  t.same((await nurse('getValueSet', { name: set.name }, 200)).body, set)
  await nurse('listOrderEvents', {}, 200)
  await nurse('listCatalogueEvents', {}, 200)

  const validityPeriod = { start: [2020, 1, 1], end: [2999, 12, 31] }
  const agreement = {
    name: 'Home monitoring',
    validityPeriod,
    seller,
    account,
    buyer: [buyer],
    reminderDays: 30
  }
  const contract = await made(clerk, 'createContract', agreement)
  await clerk('createContract', { body: { ...agreement, seller: buyer } }, 422)
  await read(provider, 'Contract', contract, ['listContract'], {
    seller,
    validOn: '2026-01-01'
  })

  const identifiers = [{ system: 'urn:ids', value: 'C1', assigner: 'Somebody' }]
  const devices = { identifiers, seller, name: 'Devices', status: 'ACTIVE' }
  const catalogue = await made(provider, 'createCatalogue', { id: null, ...devices })
  await read(clerk, 'Catalogue', catalogue, ['listCatalogue'], { seller })

  const device = { catalogueItemType: 'DeviceModel', catalogue, manufacturer: 'A&D', model: 'UA-767' }
  const monitor = await made(provider, 'createCatalogueItem', { ...device, name: 'Monitor' })
  const service = { catalogueItemType: 'Service', catalogue, serviceType: 'REPAIR', relatedTo: monitor }
  const items = [
    { ...service, name: 'Repair' },
    { ...device, name: 'Scale', model: 'UC-352', version: null }
  ]
  const bulk = await provider('createCatalogueItems', { body: items }, 201)
  const [repair, scale] = bulk.body.map(({ id }: { id: string }) => monitor.replace(idOf(monitor), id))
  await read(nurse, 'CatalogueItem', repair, ['listCatalogueItem'], {
    catalogue
  })

  const value = { system: 'http://snomed.info/sct', code: '19892000' }
  const note = (name: string) => ({ catalogueItem: monitor, buyer, name, value })
  const annotation = await made(clerk, 'createAnnotation', note('place'))
  const other = await made(clerk, 'createAnnotation', note('use'))
  await clerk('createAnnotation', { body: note('place') }, 409)
  await read(nurse, 'Annotation', annotation, ['listAnnotation'], { buyer, catalogueItem: monitor })

  const white = await made(clerk, 'createWhiteList', { buyer, item: monitor })
  const entries = [repair, scale].map((item) => ({ buyer, item }))
  t.match((await clerk('createWhiteLists', { body: entries }, 201)).body, entries)
  await clerk('createWhiteLists', { body: entries }, 409)
  t.match((await clerk('createAnnotations', { body: [note('shelf')] }, 201)).body, [{ name: 'shelf' }])
  await read(clerk, 'WhiteList', white, ['listWhiteList'], { buyer })
  const black = await made(nurse, 'createBlackList', { patient: patient('p1'), item: scale })
  await read(nurse, 'BlackList', black, ['listBlackList'], {
    patient: patient('p1')
  })
  await clerk('listBlackList', { patient: patient('p1') }, 403)

  const search = async (filters: object) =>
    (await nurse('listCatalogueItem', { buyer, ...filters }, 200)).body.map(
      ({ name }: { name: string }) => name
    )
  t.same(await search({}), ['Monitor', 'Repair', 'Scale'])
  t.same(await search({ patient: patient('p1') }), ['Monitor', 'Repair'])
  const filters = ['place', 'use'].map((name) => `${name}:${value.system}|${value.code}`)
  t.same(await search({ annotation: filters }), ['Monitor'], 'an item that has both annotations')
  t.same(await search({ annotation: [...filters, `else:${value.system}|${value.code}`] }), [])
  const [first] = (await nurse('listCatalogueItem', { buyer, limit: 1 }, 200)).body
  t.match(first, { name: 'Monitor', annotations: [{ name: 'place' }, { name: 'use' }, { name: 'shelf' }] })

  const receiver = { name: 'Rasmus', addressLine1: 'Vej 1', patient: patient('p1') }
  const draft = { buyer, seller, receiver, name: 'Monitor with repair', notes: [{ note: 'At the door' }] }
  const question = { buyer, seller, patient: patient('p1'), items: [monitor, scale] }
  const answer = await nurse('checkOrderability', { body: question }, 200)
  t.same(
    answer.body.map(({ orderable }: { orderable: boolean }) => orderable),
    [true, false]
  )
  await provider('checkOrderability', { body: question }, 403)
  const order = await made(nurse, 'createOrder', draft)
  const gone = await made(nurse, 'createOrder', { ...draft, status: vs('order-status', 'DRAFT') })
  await nurse('createOrder', { body: { ...draft, status: 'SUBMITTED' } }, 422)
  await read(nurse, 'Order', order, ['listOrder'], {
    patient: patient('p1'),
    status: 'DRAFT'
  })
  await provider('getOrder', { id: idOf(order) }, 404)
  const line = (item: string, action = 'DELIVER') => ({ order, item, action })
  const delivery = await made(nurse, 'createOrderLine', line(monitor))
  const mending = await made(nurse, 'createOrderLine', { ...line(repair, 'REPAIR'), status: 'UNFULFILLED' })
  const unwanted = await made(nurse, 'createOrderLine', line(monitor))
  await nurse('createOrderLine', { body: line(scale) }, 422)

  const patchOrder = (does: Does, body: object, expected = 204) =>
    does('patchOrder', { id: idOf(order), body }, expected)
  const patchLine = (of: string, code: string, expected = 204) =>
    provider('patchOrderLine', { id: idOf(of), body: moveTo(code) }, expected)
  await nurse('deleteOrderLine', { id: idOf(unwanted) }, 204)
  await patchOrder(nurse, [{ op: 'replace', path: '/priority', value: true }])
  await patchOrder(nurse, moveTo('SUBMITTED'))
  await patchOrder(nurse, moveTo('SUBMITTED'), 409)
  await nurse('deleteOrder', { id: idOf(order) }, 409)
  await read(provider, 'OrderLine', delivery, ['listOrderLine'], { order })
  await patchOrder(provider, moveTo('ACCEPTED'))
  await patchOrder(provider, [{ op: 'add', path: '/notes/-', value: { note: 'On Monday' } }])
  await patchLine(delivery, 'FULFILLED')
  await patchLine(mending, 'FULFILLED')

  const details = (await nurse('getOrderDetails', { id: idOf(order) }, 200)).body
  t.match(details, {
    order: { status: { code: 'FULFILLED' }, priority: true, notes: [{}, { note: 'On Monday' }] }
  })
  t.equal(details.orderLines.length, 2)
  const flat = (await provider('getOrderDetails', { id: idOf(order), form: 'flat' }, 200)).body
  t.match(flat, { id: idOf(order), status: { code: 'FULFILLED' } })
  const trace = await nurse('listTraceLine', { order }, 200)
  t.same(trace.body, details.traceLines, 'the same trace lines as in the details')
  const [last] = trace.body.slice(-1)
  t.same((await provider('getTraceLine', { id: last.id }, 200)).body, last)
  const [event] = (await nurse('listAuditEvent', { limit: 1 }, 200)).body
  t.match((await nurse('getAuditEvent', { id: event.id }, 200)).body, { id: event.id, action: 'R' })

  const replaced = async (does: Does, type: string, url: string, body: object) => {
    await does(`replace${type}`, { body: { id: idOf(url), ...body } }, 204)
    await does(`replace${type}ById`, { id: idOf(url), body }, 204)
    await does(`replace${type}ById`, { id: idOf(url), body: { id: idOf(details.order.id), ...body } }, 400)
  }
  await replaced(clerk, 'Party', account, { ...party('region', 'ACCOUNTING'), name: 'Accounting' })
  await replaced(clerk, 'Contract', contract, { ...agreement, reminderDays: null })
  await replaced(provider, 'Catalogue', catalogue, { ...devices, status: 'INACTIVE' })
  await replaced(provider, 'CatalogueItem', scale, { ...device, name: 'Scale', model: 'UC-353' })
  await replaced(clerk, 'Annotation', annotation, note('room'))

  const deleted = async (does: Does, type: string, url: string) => {
    await does(`delete${type}`, { id: idOf(url) }, 204)
    await does(`delete${type}`, { id: idOf(url) }, 404)
    await does(`get${type}`, { id: idOf(url) }, 404)
  }
  await deleted(clerk, 'Annotation', other)
  await deleted(clerk, 'WhiteList', white)
  await deleted(nurse, 'BlackList', black)
  await deleted(nurse, 'Order', gone)

  const hook = { target: 'http://127.0.0.1:9/hook', types: ['order.submitted'] }
  const subscription = await made(nurse, 'createSubscription', hook)
  await nurse('createSubscription', { body: { ...hook, target: 'https://elsewhere.example/' } }, 422)
  await read(nurse, 'Subscription', subscription, ['listSubscription'])
  await replaced(nurse, 'Subscription', subscription, hook)
  for (const [verb, status] of [
    ['pause', 204],
    ['resume', 204],
    ['test', 202],
    ['rotate', 200]
  ] as const)
    await nurse(`${verb}Subscription`, { id: idOf(subscription) }, status)
  await deleted(nurse, 'Subscription', subscription)

  t.same(left(), [], 'every operation was called')
})

t.test('a typed client generated from the documents compiles', { skip }, async (t) => {
  const { generateApi }: Generator = requireTool('swagger-typescript-api')
  const { app } = await testApp(t)
  const within = join(projectRoot, '.tap')
  mkdirSync(within, { recursive: true })
  const folder = mkdtempSync(join(within, 'typed-client-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const document of await documentsOf(app)) {
    const fileName = `${document.basePath.split('/')[1]}.ts`
    const { files } = await generateApi({ fileName, spec: document, output: false, silent: true })
    for (const { fileName, fileExtension, fileContent } of files)
      writeFileSync(join(folder, `${fileName}${fileExtension}`), fileContent.replace('// @ts-nocheck', ''))
  }
  writeFileSync(join(folder, 'program.ts'), program)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const { default: compiler } = await import(join(projectRoot, 'node_modules/typescript/lib/getExePath.js'))
  const { status, stdout, stderr } = spawnSync(compiler(), ['--project', folder], { encoding: 'utf8' })
  t.equal(`${stdout}${stderr}`, '')
  t.equal(status, 0)
})
