import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { Settings } from '../fastify.config.js'
import { problems } from '../src/app.js'

const readme = readFileSync('README.md', 'utf8')

t.test('every setting is told', async (t) => {
  const example = readFileSync('.env.example', 'utf8')
  for (const [name, { default: initial }] of Object.entries(Settings.properties)) {
    const shown = initial === undefined || initial === '' ? '' : `\`${initial}\``
    t.ok(readme.includes(`| \`${name}\` | ${shown} |`), `README: ${name}`)
    t.match(example, new RegExp(`^(# )?${name}=`, 'm'), `.env.example: ${name}`)
  }
})

t.test('every problem is told', async (t) => {
  for (const [code, [status, title]] of Object.entries(problems))
    t.ok(readme.includes(`| \`${code}\` | ${status} | ${title} |`), code)
})

t.test('the files that the documents name are there', async (t) => {
  for (const document of ['README.md', 'SECURITY.md', 'CHANGELOG.md'])
    for (const [, path = ''] of readFileSync(document, 'utf8').matchAll(
      /[`(]((?:src|test|scripts|drizzle)\/[\w./-]+)[`)]/g
    ))
      t.ok(existsSync(path), `${document}: ${path}`)
})
