import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
const files = filesIn('src')

interface Import {
  file: string
  /** A file relative to src, or the name of a package. */
  target: string
  isFile: boolean
  typeOnly: boolean
}

const importsOf = (file: string): Import[] =>
  [
    ...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (type )?(?:[\w\s{},*]*? from )?'([^']+)'/gm)
  ].map(([, type, from = '']) => ({
    file: relative('src', file),
    target: from.startsWith('.') ? relative('src', join(dirname(file), from)).replace(/\.js$/, '.ts') : from,
    isFile: from.startsWith('.') && !from.endsWith('.json'),
    typeOnly: type !== undefined
  }))
const imports = files.flatMap(importsOf)

/** The folders that each folder may import in addition to itself and packages. */
const allowed: Record<string, string[]> = {
  ...Object.fromEntries(
    [
      ['platform'],
      ['db'],
      ['terminology', 'clinical', 'embedded-postgres', 'xlsx'],
      ['filters'],
      ['settings', 'audit', 'idempotency', 'ledger'],
      ['ports'],
      ['agreement'],
      ['catalogue'],
      ['device'],
      ['order', 'excel'],
      ['audit-api', 'home'],
      ['event-api'],
      ['webhooks'],
      ['asyncapi'],
      ['pipeline'],
      ['app'],
      ['telemetry'],
      ['table-rights'],
      ['operator'],
      ['commands'],
      ['main']
    ].flatMap((floor, at, floors) => floor.map((name) => [name, floors.slice(0, at).flat()]))
  ),
  xlsx: [],
  home: ['platform'],
  telemetry: ['platform'],
  'embedded-postgres': ['platform'],
  operator: [
    'webhooks',
    'order',
    'device',
    'catalogue',
    'agreement',
    'clinical',
    'audit',
    'ledger',
    'settings',
    'db',
    'platform'
  ],
  entry: ['main', 'node-version.cjs']
}

/** The public files of modules. */
const doors = new Set([
  'resources.ts',
  'lookup.ts',
  'party-names.ts',
  // Responses include parties and items.
  'party.queries.ts',
  'readable-items.ts',
  'visibility.ts',
  'problems.ts',
  'tables.ts',
  'orderability.ts',
  'orderability.texts.ts',
  'import-catalogue.ts',
  'export-catalogue.ts',
  'catalogue-content.ts',
  'describe-changes.ts',
  'import-history.ts',
  'undo-import.ts',
  'item.fields.ts',
  'side.ts',
  // Lines store the item as it was ordered, devices as it was delivered.
  'item-snapshot.ts',
  'history.schemas.ts',
  // Operators pause subscriptions.
  'subscription.state.ts',
  // Events name statuses.
  'states.ts',
  // The table of the events that webhooks deliver.
  ...[
    'cloud-event.ts',
    'cursor.ts',
    'event-feed.schemas.ts',
    'example-event.ts',
    'families.ts',
    'feed.ts',
    'read-events.ts',
    'subjects.ts'
  ]
])

/** The files of the pages that the server imports. It imports nothing. */
const ofPages = '../pages/parts/user-type-names.ts'

const folderOf = (path: string) => (path.split('/')[0] ?? '').replace(/\.ts$/, '')
const nameOf = (path: string) => path.split('/').at(-1) ?? ''

t.test('imports follow the layers', async (t) => {
  t.ok(imports.length > 200)
  for (const { file, target } of imports.filter((each) => each.isFile && each.target !== ofPages)) {
    const [from, to] = [folderOf(file), folderOf(target)]
    t.ok(from === to || allowed[from]?.includes(to), `${file} imports ${target}`)
  }
})

/** The layers of the platform, lowest first. */
const platformFloors = [
  ['errors', 'telemetry'],
  ['concurrency'],
  ['headers', 'dates', 'urls', 'encryption', 'text', 'program', 'logging'],
  ['http-client', 'json', 'page'],
  ['auth'],
  ['schemas'],
  ['openapi'],
  ['server'],
  ['rest']
]

t.test('imports in the platform follow its layers', async (t) => {
  const roomOf = (path: string) => path.split('/')[1] ?? ''
  const floorOf = (room: string) => platformFloors.findIndex((rooms) => rooms.includes(room))
  for (const { file, target, isFile } of imports) {
    if (!isFile || folderOf(file) !== 'platform') continue
    const [from, to] = [roomOf(file), roomOf(target)]
    t.ok(floorOf(from) >= 0, `${from} has a floor`)
    t.ok(from === to || floorOf(from) > floorOf(to), `${file} imports ${target}`)
  }
})

t.test('a domain module is imported only by its public files', async (t) => {
  const domain = ['agreement', 'catalogue', 'order', 'audit-api', 'excel', 'event-api', 'webhooks']
  for (const { file, target } of imports.filter(({ isFile }) => isFile))
    if (
      domain.includes(folderOf(file)) &&
      domain.includes(folderOf(target)) &&
      folderOf(file) !== folderOf(target)
    )
      t.ok(doors.has(nameOf(target)) || target.endsWith('.access.ts'), `${file} imports ${target}`)
})

t.test('each type of file imports only permitted modules', async (t) => {
  const rules = [
    {
      files: /\.routes\.ts$/,
      never: /^drizzle-orm|\.store\.ts$|tables\.ts$/,
      why: 'routes only speak HTTP'
    },
    {
      files: /\.(service|store|queries|state|commands)\.ts$|^order\/(?!routes\/)/,
      never: /^fastify$|^@fastify/,
      why: 'use cases do not import HTTP'
    },
    {
      files: /^(agreement|catalogue|order|audit-api)\//,
      never: /^(undici|node:http|node:https|jose)$/,
      why: 'remote calls are made by terminology and clinical'
    },
    {
      files: /^platform\//,
      never: /^(drizzle-orm|postgres)/,
      why: 'the platform does not import the database'
    },
    {
      files: /^xlsx\//,
      never: /^(?!xlsx\/|node:|exceljs$|numfmt$|saxes$|yauzl$)/,
      why: 'the reader of untrusted files imports nothing else'
    }
  ]
  for (const { file, target } of imports)
    for (const { files, never, why } of rules)
      if (files.test(file)) t.notMatch(target, never, `${file}: ${why}`)
  for (const { file, target, typeOnly } of imports)
    if (/\.state\.ts$|^order\/model\/states\.ts$/.test(file))
      t.ok(typeOnly, `${file} imports ${target}: state tables are pure`)
})

t.test(
  'pages import only modules that run in browsers; the parts and the desk import no server code',
  async (t) => {
    const allowedFolders = /^\.\.\/(pages|clients\/typescript)\//
    const pages = filesIn('pages').flatMap(importsOf)
    t.ok(pages.length > 20)
    for (const { file, target, isFile, typeOnly } of pages) {
      const isAllowed = isFile
        ? allowedFolders.test(target) || (typeOnly && file.startsWith('../pages/upload/'))
        : /^(preact(\/.*)?|openid-client)$/.test(target)
      t.ok(isAllowed, `${file} imports ${target}`)
      if (file.startsWith('../pages/parts/'))
        t.notMatch(target, /^\.\.\/pages\/(?!parts\/)/, 'parts know no page')
    }
  }
)

t.test('only a unit of work begins a transaction', async (t) => {
  for (const file of files.filter((each) => !/^src\/db\/(driver\/|unit-of-work\.ts$)/.test(each)))
    t.notMatch(readFileSync(file, 'utf8'), /\.(transaction|begin)\(/, file)
})

t.test('no statement leaves state in its session, which a connection pooler shares', async (t) => {
  const sessionState =
    /pg_(?:try_)?advisory_(?:lock|unlock)|set_config\([^)]*false|(?:sql`|unsafe\(')\s*(?:set (?!local |transaction )|listen |prepare )|\btemp(?:orary)? table|with hold/i
  for (const file of files) t.notMatch(readFileSync(file, 'utf8'), sessionState, file)
})
