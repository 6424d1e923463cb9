import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type LocalizedText, languages } from '../../src/platform/errors/language.js'
import type { ProblemTable } from '../../src/platform/errors/problem.js'
import { isTranslated } from '../fixtures/languages.js'

const isTextFile = (file: string) => /(^|[/.])texts\.ts$/.test(file)
const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const sources = files
  .filter((file) => !isTextFile(file))
  .map((file) => ({ file, source: readFileSync(join('src', file), 'utf8') }))

/** Whether a source file matches a pattern. */
const isInSources = (pattern: RegExp): boolean => sources.some(({ source }) => pattern.test(source))
const isQuoted = (text: string): boolean => isInSources(new RegExp(`['"\`]${text}['"\`]`))

/** The exports of the files of texts. */
const tables: { name: string; table: object }[] = []
for (const file of files.filter(isTextFile)) {
  const path = file.slice(0, -'texts.ts'.length)
  const exported: Record<string, object> = await import(`../../src/${path}texts.ts`)
  tables.push(...Object.entries(exported).map(([name, table]) => ({ name, table })))
}
const tablesNamed = (suffix: string) => tables.filter(({ name }) => name.endsWith(suffix))

/** A source file names a detail as `code.detail`, one part perhaps by a variable, or reads its text. */
const isNamed = (code: string, detail: string): boolean =>
  isQuoted(`${code}\\.${detail}`) ||
  (isInSources(new RegExp(`\`${code}\\.\\$\\{`)) && isQuoted(detail)) ||
  (isInSources(new RegExp(`\\}\\.${detail}\``)) && isQuoted(code)) ||
  isInSources(new RegExp(`\\b${code}\\b['\\]]*\\.details\\.${detail}\\b`))

t.test('a source file names every detail of a problem', async (t) => {
  const details = tablesNamed('Problems').flatMap(({ table }) =>
    Object.entries(table as ProblemTable).flatMap(([code, texts]) =>
      Object.keys(texts.details ?? {}).map((detail) => [code, detail])
    )
  )
  t.ok(details.length > 50)
  t.same(
    details.filter(([code = '', detail = '']) => !isNamed(code, detail)),
    []
  )
})

/**
 * A source file reads a text as a member, by a destructuring declaration, or by a variable with the
 * name of the text.
 */
const isRead = (table: string, text: string): boolean =>
  isInSources(new RegExp(`\\b${table}\\.${text}\\b|\\b${text}\\b[^{}]*\\} = ${table}\\b`)) ||
  (isInSources(new RegExp(`\\b${table}\\[`)) && isQuoted(text))

t.test('a source file reads every other text', async (t) => {
  const texts = tablesNamed('Texts').flatMap(({ name, table }) =>
    Object.keys(table).map((text) => [name, text])
  )
  t.ok(texts.length > 50)
  t.same(
    texts.filter(([table = '', text = '']) => !isRead(table, text)),
    []
  )
})

const isText = (value: object): value is LocalizedText =>
  languages.every((language) => typeof (value as Partial<LocalizedText>)[language] === 'string')

/** The texts of a table, at any depth, with their paths. */
function textsIn(path: string, value: unknown): [path: string, text: LocalizedText][] {
  if (typeof value !== 'object' || value === null) return []
  if (isText(value)) return [[path, value]]
  return Object.entries(value).flatMap(([name, each]) => textsIn(`${path}.${name}`, each))
}

const allTexts = tables.flatMap(({ name, table }) => textsIn(name, table))
t.ok(allTexts.length > 200)

t.test('a text is translated', async (t) => {
  t.same(
    allTexts.filter(([, text]) => !isTranslated(text)),
    []
  )
})

t.test('a text has the same placeholders in each language', async (t) => {
  const placeholdersOf = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()
  for (const [path, { en, da }] of allTexts) t.same(placeholdersOf(da), placeholdersOf(en), path)
})

t.test('only files of texts contain Danish texts', async (t) => {
  // A text that is made for each language.
  const made = /\bda: textIn\('da'\)/
  t.same(
    sources.filter(({ source }) => /\bda:/.test(source.replace(made, ''))).map(({ file }) => file),
    []
  )
})
