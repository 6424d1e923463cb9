import t from 'tap'
import { querySummary } from '../../src/db/driver/query-summary.js'

t.test('a query is named by what it writes, else by the first table that it reads', async (t) => {
  const cases: [sql: string, summary: string][] = [
    ['select "id" from "parties" where "id" = $1', 'select parties'],
    ['SELECT * FROM orders JOIN parties buyer ON true', 'select orders'],
    [
      'select found.* from unnest($1::uuid[]) as call(id), lateral (select 1 from orders) found',
      'select orders'
    ],
    ['with own as (select id from parties) select * from own', 'select parties'],
    ['insert into "secrets" ("name") values ($1) on conflict do update set "name" = $1', 'insert secrets'],
    ['select id from orders for update skip locked', 'select orders'],
    ['delete from annotations where id = $1', 'delete annotations'],
    [
      'with saved as (update orders set name = $1 returning id) insert into trace_lines (id) select id from saved',
      'update orders insert trace_lines'
    ],
    ['begin', 'begin'],
    ['select 1', 'select']
  ]
  for (const [sql, summary] of cases) t.equal(querySummary(sql), summary, sql)
})
