import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { requireTool, missingTools as skip } from '../../scripts/document-tools.js'
import { type UserType, userTypes } from '../../src/platform/auth/caller.js'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { projectRoot } from '../../src/platform/program/project-root.js'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { freePort } from '../fixtures/free-port.js'
import { type Document, documentsOf, judgeOf, operationsOf } from '../fixtures/fuzz/documents.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { homeOf, userTypeOf } from '../fixtures/routes/rows.js'
import { table } from '../fixtures/routes/table.js'
import { catalogue, orders } from '../fixtures/world.js'

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

t.test('a client built from the documents calls every operation', { skip }, async (t) => {
  const openClient: OpenClient = requireTool('swagger-client')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const app = await testApp(t, { PUBLIC_URL: url })
  await app.app.listen({ host: '127.0.0.1', port })
  const g = await populatedWorld(app)
  const clientOf = async (api: string, userType: UserType) => {
    const token = unsignedToken({ userType, organization: homeOf(userType) })
    return openClient({ url: `${url}${api}/openapi.json`, authorizations: { token } })
  }
  for (const api of [catalogue, orders]) {
    const clients = Object.fromEntries(
      await Promise.all(userTypes.map(async (userType) => [userType, await clientOf(api, userType)] as const))
    ) as Record<UserType, Client>
    const { spec } = clients.Provider
    const judge = judgeOf(spec)
    for (const operation of operationsOf(spec)) {
      const route = `${operation.method} ${operation.path.replace(/\{(\w+)\}/, ':$1').replace(/\/$/, '')}`
      const row = table[route]
      if (!row) throw new Error(`The table of routes has no ${route}.`)
      const userType = userTypeOf(row)
      const { of = '', query = {}, payload } = await row.request(g, userType)
      const parameters = { id: idOf(of), name: idOf(of), ...query, body: payload }
      const { status, headers, data, obj } = await clients[userType]
        .execute({ operationId: operation.id, parameters })
        .catch((refusal: { response?: Sent }) => refusal.response ?? Promise.reject(refusal))
      const length = typeof data === 'string' ? data.length : data.size
      const response: ApiResponse = { status, headers, body: length === 0 ? undefined : (obj ?? data) }
      const wanted = row.alternatives ? /^200/ : new RegExp(`^${row.ok}$`)
      t.match(outcome(response), wanted, operation.id)
      t.same(judge(operation, response, payload), [], `${operation.id} as documented`)
    }
  }

  const nurse = await clientOf(catalogue, 'MonitoringResponsible')
  const annotation = ['place', 'use'].map((name) => `${name}:http://snomed.info/sct|19892000`)
  const { obj } = await nurse.execute({ operationId: 'listCatalogueItem', parameters: { annotation } })
  t.same(obj, [], 'a filter with several values')
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

/** Front end code that uses the generated clients; it is compiled, not run. */
const program = `
import { Api as Catalogue } from './ssl-catalogue.js'
import { Api as Orders } from './ssl-order.js'

const securityWorker = (token: string | null) => (token === null ? {} : { headers: { authorization: token } })
const orders = new Orders<string>({ baseUrl: 'http://127.0.0.1:3000/ssl-order/v1', securityWorker })
const catalogue = new Catalogue<string>({ baseUrl: 'http://127.0.0.1:3000/ssl-catalogue/v1', securityWorker })
orders.setSecurityData('token')

export async function progressOf(id: string): Promise<string[]> {
  const { data } = await orders.order.getOrderDetails(id)
  return data.orderLines.map(({ item, action, status }) => [item, action.display ?? '', status.code].join(' '))
}

export const submit = (id: string) =>
  orders.order.patchOrder(id, [{ op: 'replace', path: '/status/code', value: 'SUBMITTED' }])

export const scales = (buyer: string) =>
  catalogue.catalogueItems.listCatalogueItem({ buyer, annotation: ['place:urn:x|ward'] })

export const submitted = () => orders.orders.listOrder({ status: ['SUBMITTED'], expand: ['items'] })

// @ts-expect-error no status of an order
export const misspelt = () => orders.orders.listOrder({ status: ['SUBMITED'] })

// @ts-expect-error a party needs a name and an organization
export const refused = () => orders.party.createParty({ allowedRoles: ['BUYER'] })
`

/**
 * The compiler options of the project, for a browser, without one strict option that generated code
 * violates.
 */
const settings = {
  extends: '../../tsconfig.json',
  compilerOptions: {
    rootDir: '.',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
    exactOptionalPropertyTypes: false
  },
  include: ['.'],
  exclude: []
}
