import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { printMethod } from '../../scripts/client/operations.js'
import { typePrinter } from '../../scripts/client/types.js'

t.test('quotes names that are no identifiers', async (t) => {
  const print = typePrinter({})
  const parameters = ['after', 'receiver.name'].map((name) => ({ name, in: 'query', type: 'string' }))
  const operation = { operationId: 'listOrder', summary: 'List orders', parameters, responses: {} }
  t.match(printMethod('/orders', 'get', operation, print), 'query: { "receiver.name"?: string } = {}')
  const properties = { name: { type: 'string' }, 'x-name': { type: 'string' } }
  t.equal(
    print({ type: 'object', required: ['name', 'x-name'], properties }),
    '{ name: string\n"x-name": string }'
  )
})

t.test('the client has no any', async (t) => {
  const folder = join('clients', 'typescript', 'src')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts')
  )
  t.ok(sources.length > 5)
  for (const file of sources) t.notMatch(readFileSync(join(folder, file), 'utf8'), /[:<|] *any\b/, file)
})
