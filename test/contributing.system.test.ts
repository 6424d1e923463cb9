import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { excel, upload } from './fixtures/excel/client.js'
import { cellAt, edited } from './fixtures/excel/edit.js'
import { addMigration } from './fixtures/migrations.js'
import { outcome } from './fixtures/routes/refusal.js'
import { catalogue, moveTo, orders, organization, pathOf } from './fixtures/world.js'

/** Lines of a file, and those that replace them. */
interface Hunk {
  before: string
  after: string
}

/** A change of a file: the text of a new one, or hunks. */
interface Change {
  path: string
  text?: string
  hunks?: Hunk[]
}

/** The worked example of a section of a guide. */
interface Example {
  changes: readonly Change[]
  /** The statements of the migration. */
  statements: readonly string[]
}

/**
 * Reads the code blocks of a section. A `diff` begins with `--- <path>`, and `@@` separates its
 * hunks; a `ts` block is a new file and begins with `// <path>`; a `sql` block is a migration.
 */
function exampleIn(guide: string, heading: string): Example {
  const section = guide.split(/^(?=## )/m).find((each) => each.startsWith(`## ${heading}\n`)) ?? ''
  const changes: Change[] = []
  const statements: string[] = []
  for (const [, language, text = ''] of section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm))
    if (language === 'sql') statements.push(...text.split('--> statement-breakpoint'))
    else changes.push(changeOf(text))
  return { changes, statements }
}

function changeOf(text: string): Change {
  const [, path = '', rest = ''] = /^(?:---|\/\/) (\S+)\n([\s\S]*)$/.exec(text) ?? []
  if (path === '') throw new Error(`A code block does not begin with the path of its file: ${text}`)
  if (text.startsWith('//')) return { path, text: rest }
  const hunks = rest.split(/^@@\n/m).map((hunk) => ({
    before: hunk.replace(/^\+.*\n/gm, '').replace(/^./gm, ''),
    after: hunk.replace(/^-.*\n/gm, '').replace(/^./gm, '')
  }))
  return { path, hunks }
}

/**
 * Applies a change below a folder.
 * @throws Error when the lines that a hunk replaces are not in the file exactly once.
 */
function applyChange(folder: string, { path, text, hunks = [] }: Change): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  if (text !== undefined) writeFileSync(file, text, { flag: 'wx' })
  else writeFileSync(file, hunks.reduce(applyHunk, `\n${readFileSync(file, 'utf8')}`).slice(1))
}

/** @param text begins with a line feed. */
function applyHunk(text: string, { before, after }: Hunk): string {
  const parts = text.split(`\n${before}`)
  if (parts.length !== 2) throw new Error(`The file has these lines ${parts.length - 1} times:\n${before}`)
  return parts.join(`\n${after}`)
}

/*
 * The worked examples of CONTRIBUTING.md: their code is applied to a copy of the sources, which is
 * compiled and served on a migrated database.
 */

const guide = readFileSync('CONTRIBUTING.md', 'utf8')
const field = exampleIn(guide, 'Add a field to an order')
const filter = exampleIn(guide, 'Add a filter to a list')
const itemField = exampleIn(guide, 'Add a field to a catalogue item')
const resource = exampleIn(guide, 'Add a resource')

/** The hand-written source files that an example touches. */
const filesOf = ({ changes }: Example) => [...new Set(changes.map(({ path }) => path))]

const copy = copySources()
t.teardown(() => rmSync(copy, { recursive: true, force: true }))

function copySources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ssl-guide-'))
  const settings = ['fastify.config.ts', 'package.json', 'tsconfig.json', 'biome.json', '.gitignore']
  const folders = ['dist/pages', 'examples', 'pages/parts', 'src', 'drizzle', 'scripts', 'test/fixtures']
  for (const name of [...folders, ...settings]) cpSync(name, join(folder, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs a program of the project in the copy. Returns what it complains about, else nothing. */
function run(program: string, ...args: string[]): string {
  const options = { cwd: copy, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(join('node_modules', '.bin', program), args, options)
  return status === 0 ? '' : `${program} ended with ${status}: ${stdout}${stderr}`
}

/** Compiles files of the copy and what they import. Returns the errors. */
function compile(files: readonly string[], options: object): string {
  const config = { extends: './tsconfig.json', compilerOptions: options, files, include: [] }
  writeFileSync(join(copy, 'tsconfig.guide.json'), JSON.stringify(config))
  return run('tsc', '-p', 'tsconfig.guide.json')
}

t.test('a filter takes one source file, a field at most three, a resource at most twelve', async (t) => {
  for (const { example, most } of [
    { example: field, most: 3 },
    { example: filter, most: 1 },
    { example: itemField, most: 3 },
    { example: resource, most: 12 }
  ]) {
    const files = filesOf(example)
    t.ok(files.length > 0 && files.length <= most, files.join(', '))
    for (const file of files) t.match(file, /^src\//)
  }
})

t.test('the compiler reports a field without its column, and a column without its field', async (t) => {
  t.equal(field.changes.length, 3)
  for (const change of field.changes) {
    const before = readFileSync(join(copy, change.path))
    applyChange(copy, change)
    const readers = ['src/order/content.ts', 'src/order/serialize.ts']
    t.match(compile(readers, { noEmit: true }), /error TS\d+[\s\S]*costCentre/, change.path)
    writeFileSync(join(copy, change.path), before)
  }
})

t.test('the examples are formatted, compile and work', async (t) => {
  const examples = [field, filter, itemField, resource]
  for (const { changes } of examples) for (const change of changes) applyChange(copy, change)
  for (const [at, { statements }] of examples.entries())
    if (statements.length > 0)
      addMigration(
        join(copy, 'drizzle/migrations'),
        `9999_${at}`,
        statements.join('--> statement-breakpoint')
      )
  t.equal(run('biome', 'check', ...examples.flatMap(filesOf)), '')
  const files = ['test/fixtures/app.ts', 'test/fixtures/world.ts', 'test/fixtures/server-role.ts']
  t.equal(compile(files, { noEmit: false, outDir: 'dist' }), '')
  const served = await serve(t)
  await t.test('the field', (t) => checkField(t, served))
  await t.test('the field of an item', (t) => checkItemField(t, served))
  await t.test('the resource', (t) => checkResource(t, served))
})

/** Starts the server of the copy, on a database with the migrations of the examples. */
async function serve(t: Test) {
  const load = (name: string) => import(pathToFileURL(join(copy, 'dist', 'test', 'fixtures', name)).href)
  const { testApp } = (await load('app.js')) as typeof import('./fixtures/app.js')
  const { world } = (await load('world.js')) as typeof import('./fixtures/world.js')
  const { grantServerRole } = (await load('server-role.js')) as typeof import('./fixtures/server-role.js')
  const app = await testApp(t)
  await grantServerRole(app.databaseUrl)
  return { app, ...(await world(app)) }
}
type Served = Awaited<ReturnType<typeof serve>>

async function checkField(t: Test, { nurse, provider, draft, createDraft, submitted }: Served) {
  const read = async (url: string) => (await nurse.get(pathOf(url), 200)).body
  const set = (value: unknown) => [{ op: 'replace', path: '/costCentre', value }]
  const [plain, charged] = [await createDraft(), await createDraft({ costCentre: 'Ward "7"' })]
  t.equal((await read(plain)).costCentre, null)
  t.equal((await read(charged)).costCentre, 'Ward "7"')
  const invalid = await nurse.post(`${orders}/order`, draft({ costCentre: 7 }))
  t.equal(outcome(invalid), '400 invalid-body /costCentre')

  await nurse.patch(pathOf(plain), set('4711'), 204)
  const order = await read(plain)
  t.equal(order.costCentre, '4711')
  t.same((await nurse.get(`${pathOf(plain)}/details`, 200)).body.order, order)
  t.match((await nurse.get(`${pathOf(plain)}/details?form=flat`, 200)).body, order)
  const { allowedStatuses: _, ...listed } = order
  t.same((await nurse.get(`${orders}/orders`, 200)).body[1], listed)
  t.same((await nurse.get(`${orders}/orders?costCentre=4711`, 200)).body, [listed], 'the filter')

  const { order: sent } = await submitted()
  t.equal(outcome(await provider.patch(pathOf(sent), set('4711'))), '403 not-your-move /0/value')
  await nurse.patch(pathOf(sent), set('4711'), 204)
  t.equal((await read(sent)).costCentre, '4711')
  await provider.patch(pathOf(sent), moveTo('FULFILLED'), 204)
  t.equal(outcome(await nurse.patch(pathOf(sent), set(null))), '422 order-closed /0/value')

  const document = JSON.stringify((await nurse.get(`${orders}/openapi.json`, 200)).body)
  t.match(document, 'and the costCentre can change')
  t.match(document, '"costCentre":"4711"')
}

async function checkItemField(t: Test, { clerk, catalogue: url }: Served) {
  const read = async (of: string) => (await clerk.get(pathOf(of), 200)).body
  const device = { catalogueItemType: 'DeviceModel', manufacturer: 'Maker', model: 'M', name: 'Scale' }
  const identifiers = [{ system: 'urn:no', value: '1' }]
  const item = await clerk.create(`${catalogue}/catalogue-item`, {
    ...device,
    identifiers,
    catalogue: url,
    origin: 'DK'
  })
  t.equal((await read(item)).origin, 'DK')
  const service = { catalogueItemType: 'Service', serviceType: 'REPAIR', name: 'Repair', catalogue: url }
  const refused = await clerk.post(`${catalogue}/catalogue-item`, { ...service, origin: 'DK' })
  t.equal(outcome(refused), '400 invalid-body /origin')
  const { body: found } = await clerk.get(`${catalogue}/catalogue-items?q=scale`, 200)
  t.equal(found[0].origin, 'DK')

  const path = `/catalogue/${url.split('/').at(-1)}`
  const { body: workbook } = await clerk.get(`${excel}${path}?language=en`, 200)
  const moved = await edited(workbook, (book) => {
    const cell = cellAt(book, 'Devices', 2, 'Origin')
    t.equal(cell.value, 'DK')
    cell.value = 'SE'
  })
  t.match(await upload(clerk, 'PUT', path, moved), { status: 200, body: { changed: 1, unchanged: 2 } })
  t.equal((await read(item)).origin, 'SE')
}

async function checkResource(t: Test, { app, buyer, otherBuyer }: Served) {
  const permissions = ['NoteTemplate.*']
  const nurse = app.as('MonitoringResponsible', organization('region'), { permissions })
  const otherNurse = app.as('MonitoringResponsible', organization('other-region'), { permissions })
  const template = { buyer, title: 'Neighbour', note: 'Call at the neighbour.' }
  const path = `${orders}/note-template`
  const url = await nurse.create(path, template)
  const { body } = await nurse.get(pathOf(url), 200)
  t.match(body, template)
  t.same((await nurse.get(`${path}s`, 200)).body, [body])
  t.same((await otherNurse.get(`${path}s`, 200)).body, [])
  for (const method of ['get', 'delete'] as const) await otherNurse[method](pathOf(url), 404)
  const foreign = await nurse.post(path, { ...template, buyer: otherBuyer })
  t.equal(outcome(foreign), '422 dangling-reference /buyer')
  await app.as('Provider', organization('provider'), { permissions }).post(path, template, 403)
  await app.as('MonitoringResponsible', organization('region')).get(`${path}s`, 403)
  await nurse.delete(pathOf(url), 204)
  await nurse.get(pathOf(url), 404)
}
