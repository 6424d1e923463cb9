import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isTranslated } from '../fixtures/languages.js'
import { pageModule } from '../fixtures/page-module.js'

/** The files with the texts of pages. */
const files = readdirSync('pages', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('-texts.ts'))
  .map((name) => join('pages', name))

/** The tables that a file exports. */
const tablesIn = async (file: string): Promise<Record<string, Record<string, string>>[]> =>
  Object.values(await pageModule(file)).filter((each) => typeof each === 'object') as never

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join()

t.test('texts of the pages exist in both languages, with the same placeholders', async (t) => {
  t.ok(files.length >= 3)
  for (const file of files)
    for (const table of await tablesIn(file))
      for (const [key, { en, da }] of Object.entries(table)) {
        t.ok(en && da && isTranslated({ en, da }), `${file} ${key}`)
        t.equal(placeholders(en ?? ''), placeholders(da ?? ''), `${file} ${key}`)
      }
})

t.test('a key has the same text in all tables of the desk', async (t) => {
  const ofDesk = files.filter((file) => file.startsWith(join('pages', 'desk')))
  const tables = (await Promise.all(ofDesk.map(tablesIn))).flat()
  t.ok(tables.length >= 2)
  const texts = new Map<string, unknown>()
  for (const table of tables)
    for (const [key, text] of Object.entries(table)) {
      t.same(text, texts.get(key) ?? text, key)
      texts.set(key, text)
    }
})

t.test('no other text of the desk is the name of the desk', async (t) => {
  const { deskTexts } = await pageModule('pages/desk/desk-texts.ts')
  const { title, ...others } = deskTexts as Record<string, Record<string, string>>
  t.ok(title?.en && title.da)
  for (const [key, { en, da }] of Object.entries(others)) {
    t.not(en, title?.en, key)
    t.not(da, title?.da, key)
  }
})
