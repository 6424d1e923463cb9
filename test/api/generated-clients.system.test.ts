import t from 'tap'
import { requireTool, missingTools as skip } from '../../scripts/document-tools.js'
import { type UserType, userTypes } from '../../src/platform/auth/caller.js'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { freePort } from '../fixtures/free-port.js'
import { type Document, judgeOf, operationsOf } from '../fixtures/fuzz/documents.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { homeOf, userTypeOf } from '../fixtures/routes/rows.js'
import { table } from '../fixtures/routes/table.js'
import { catalogue, orders } from '../fixtures/world.js'

/* A client that is built from the documents at run time. `.ci/clients` compiles generated clients. */

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
