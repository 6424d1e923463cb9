import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

t.test('the migrations create the declared tables', async (t) => {
  const folder = mkdtempSync('drizzle/check-')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync('drizzle/migrations', join(folder, 'migrations'), { recursive: true })
  const config = join(folder, 'drizzle.config.json')
  writeFileSync(
    config,
    JSON.stringify({ dialect: 'postgresql', schema: './src/**/tables.ts', out: `./${folder}/migrations` })
  )
  const before = readdirSync(join(folder, 'migrations'))
  await promisify(execFile)('npx', ['drizzle-kit', 'generate', '--config', config])
  t.same(readdirSync(join(folder, 'migrations')), before, 'run npm run db:generate and review its output')
})
