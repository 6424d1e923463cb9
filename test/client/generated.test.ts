import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

t.test('the client has no any', async (t) => {
  const folder = join('clients', 'typescript', 'src')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts')
  )
  t.ok(sources.length > 5)
  for (const file of sources) t.notMatch(readFileSync(join(folder, file), 'utf8'), /[:<|] *any\b/, file)
})
