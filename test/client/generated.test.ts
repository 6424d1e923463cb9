import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { GENERATED_FOLDER, generateClient } from '../../scripts/client/generate.js'

t.test('the recorded client is up to date', async (t) => {
  const recorded = readdirSync(GENERATED_FOLDER).map((file): [string, string] => [
    file,
    readFileSync(join(GENERATED_FOLDER, file), 'utf8')
  ])
  t.same(
    Object.fromEntries(recorded),
    Object.fromEntries(generateClient()),
    'to record a change: npm run client'
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
