import type { Sql } from 'postgres'
import { acceptStatement } from '../bare/accept.js'
import { detailsStatement } from '../bare/details.js'
import { listStatement } from '../bare/list.js'
import { searchStatements } from '../bare/search.js'
import { accept } from '../works/accept.js'
import { details } from '../works/details.js'
import { list } from '../works/list.js'
import { search } from '../works/search.js'
import type { Prepared, Work } from '../works/work.js'

export interface PgbenchScript {
  work: Work
  name: string
  title: string
  /** How many there can be at most. */
  transactions?: number
  text: string
}

/** The statements of the bare server as scripts of pgbench, each turn with the parameters of another request of its work. */
export async function pgbenchScripts(sql: Sql): Promise<PgbenchScript[]> {
  const reads = [
    { work: details, name: 'w1', statement: detailsStatement },
    { work: search, name: 'w2', statement: searchStatements.tables },
    { work: search, name: 'w2-model', statement: searchStatements.model },
    { work: list, name: 'w5', statement: listStatement }
  ]
  const scripts: PgbenchScript[] = []
  for (const { work, name, statement } of reads) {
    const { requests } = await work.prepare(sql, 1)
    await fillParameters(sql, work.name, requests.map(parametersOf))
    const text = `\\set n random(1, ${requests.length})\n${withParameters(statement, work.name, ':n')};\n`
    scripts.push({ work, name, title: `${work.title}${name === 'w2-model' ? ', read model' : ''}`, text })
  }
  const { requests } = await accept.prepare(sql, 1)
  await fillParameters(sql, 'w3', requests.map(parametersOf))
  await sql.unsafe('drop sequence if exists bench.turn; create sequence bench.turn')
  const turn = `(select 1 + nextval('bench.turn') % ${requests.length})`
  const text = `${withParameters(acceptStatement, 'w3', turn)
    .replace('select $3::uuid', 'select gen_random_uuid()')
    .replaceAll('$2', "'ACCEPTED'")};\n`
  return [...scripts, { work: accept, name: 'w3', title: accept.title, transactions: requests.length, text }]
}

/** What the bare server takes out of a request, as texts. */
function parametersOf({ path }: Prepared['requests'][number]): string[] {
  const { pathname, searchParams } = new URL(path, 'http://local')
  const idOf = (name: string) => (searchParams.get(name) ?? '').split('/').at(-1) ?? ''
  const annotations = searchParams.getAll('annotation').flatMap((text) => {
    const [colon, bar] = [text.indexOf(':'), text.lastIndexOf('|')]
    return [text.slice(0, colon), text.slice(colon + 1, bar), text.slice(bar + 1)]
  })
  if (annotations.length > 0) return [idOf('buyer'), searchParams.get('patient') ?? '', ...annotations, '50']
  if (searchParams.has('seller')) return [idOf('seller'), 'SUBMITTED', '100']
  return [pathname.split('/')[4] ?? '']
}

async function fillParameters(sql: Sql, name: string, rows: readonly string[][]): Promise<void> {
  const table = `bench.parameters_${name}`
  await sql.unsafe(
    `drop table if exists ${table}; create table ${table} (n int primary key, given text[] not null)`
  )
  const numbered = rows.map((given, at) => ({ n: at + 1, given }))
  await sql.unsafe(
    `insert into ${table} select n, given from json_to_recordset($1::text::json) as r(n int, given text[])`,
    [JSON.stringify(numbered)]
  )
  await sql.unsafe(`analyze ${table}`)
}

/** A statement whose parameters are looked up by number. */
function withParameters(statement: string, name: string, number: string): string {
  const types: Readonly<Record<string, readonly string[]>> = {
    w1: ['uuid'],
    w2: ['uuid', ...Array(7).fill('text'), 'int'],
    w3: ['uuid'],
    w5: ['uuid', 'text', 'int']
  }
  return (types[name] ?? []).reduceRight(
    (text, type, at) =>
      text.replaceAll(
        `$${at + 1}`,
        `(select given[${at + 1}]::${type} from bench.parameters_${name} where n = ${number})`
      ),
    statement
  )
}
