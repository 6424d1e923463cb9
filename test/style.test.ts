import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'

const MAX_COMMENT_COLUMNS = 100
const MAX_FILES_IN_FOLDER = 20

const filesIn = (...folders: string[]) =>
  folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
const isSource = (file: string) => /\.(ts|tsx|js|cjs|cts)$/.test(file)
const files = filesIn('src', 'pages', 'examples')
const sources = files.filter(isSource)

const exportedName =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm

t.test('no two files export the same name', async (t) => {
  // The pages run in browsers and share no names with the server.
  for (const isServer of [true, false]) {
    const owners = new Map<string, string[]>()
    for (const file of sources.filter((each) => isServer === /^src\W/.test(each))) {
      const text = readFileSync(file, 'utf8')
      // A schema and its type share a name.
      const names = new Set([...text.matchAll(exportedName)].map(([, name = '']) => name))
      for (const name of names) owners.set(name, [...(owners.get(name) ?? []), file])
    }
    t.ok(owners.size > 20)
    t.same(
      [...owners].filter(([, others]) => others.length > 1),
      []
    )
  }
})

t.test('no source calls AbortSignal.any, which on Node 20 leaks an entry per call', async (t) => {
  for (const file of [...sources, ...filesIn('clients/typescript/src').filter(isSource)])
    if (readFileSync(file, 'utf8').includes('AbortSignal.any(')) t.fail(file)
})

t.test(`no comment line is longer than ${MAX_COMMENT_COLUMNS} columns`, async (t) => {
  const isLongComment = (line: string) =>
    line.length > MAX_COMMENT_COLUMNS && /^\s*(\/\/|\/?\*)|\s\/\/ /.test(line)
  for (const file of sources)
    for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries())
      if (isLongComment(line)) t.fail(`${file}:${index + 1} has ${line.length} columns`)
})

t.test(`no folder has more than ${MAX_FILES_IN_FOLDER} files`, async (t) => {
  const counts = new Map<string, number>()
  for (const file of files) {
    const folder = relative('.', join(file, '..'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  for (const [folder, count] of counts) t.ok(count <= MAX_FILES_IN_FOLDER, `${folder} holds ${count} files`)
})
