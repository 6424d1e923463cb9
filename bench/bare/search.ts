import type { Sql } from 'postgres'
import { coding, shownSystem, url } from './json.js'

/** $1 buyer, $2 patient, $3–$5 and $6–$8 name, system and code of two annotations, $9 limit. */

const sellers = `
  select k.seller_id from contract_buyers kb join contracts k on k.id = kb.contract_id
  where kb.buyer_id = $1 and k.first_day <= current_date and k.last_day >= current_date`

const notBlackListed = (item: string) =>
  `not exists (select from black_list_entries e where e.patient = $2 and e.item_id = ${item})`

/**
 * Intersects both index ranges of annotations first: in any other form the planner estimates a
 * single row.
 */
const fromTables = `
  select i.* from (
    select item_id from annotations where buyer_id = $1 and name = $3 and system = $4 and code = $5
    intersect
    select item_id from annotations where buyer_id = $1 and name = $6 and system = $7 and code = $8
    offset 0
  ) a
  join catalogue_items i on i.id = a.item_id and i.status = 'AVAILABLE'
  join catalogues c on c.id = i.catalogue_id and c.status = 'ACTIVE'
  where c.seller_id = any (array(${sellers}))
    and exists (select from white_list_entries w where w.buyer_id = $1 and w.item_id = i.id)
    and ${notBlackListed('i.id')}
  order by i.name, i.id limit $9`

/** Reads the read model in name order until there are enough. */
const fromModel = `
  select i.* from (
    select m.item_id from bench.orderable m
    where m.buyer_id = $1 and m.orderable
      and m.annotations @> (select array[concat($3::text, ':', $4::text, '|', $5::text), concat($6::text, ':', $7::text, '|', $8::text)])
      and m.seller_id = any (array(${sellers}))
      and ${notBlackListed('m.item_id')}
    order by m.name, m.item_id limit $9
  ) m join catalogue_items i on i.id = m.item_id`

const statement = (page: string) => `
  with page as (${page})
  select coalesce(json_agg(case i.type
    when 'DeviceModel' then json_build_object(
      'id', i.id, 'catalogueItemType', i.type, 'identifiers', i.identifiers,
      'catalogue', ${url('ssl-catalogue/v1/catalogue', 'i.catalogue_id')}, 'name', i.name,
      'description', i.description, 'status', i.status, 'annotations', n.annotations,
      'manufacturer', i.manufacturer, 'model', i.model, 'version', i.version)
    else json_build_object(
      'id', i.id, 'catalogueItemType', i.type, 'identifiers', i.identifiers,
      'catalogue', ${url('ssl-catalogue/v1/catalogue', 'i.catalogue_id')}, 'name', i.name,
      'description', i.description, 'status', i.status, 'annotations', n.annotations,
      'relatedTo', ${url('ssl-catalogue/v1/catalogue-item', 'i.related_to_id')},
      'serviceType', ${coding('i.service_type', 'service-type')})
    end order by i.name, i.id), '[]')::text as body
  from page i cross join lateral (
    select coalesce(json_agg(json_build_object(
      'id', a.id, 'catalogueItem', ${url('ssl-catalogue/v1/catalogue-item', 'a.item_id')},
      'buyer', ${url('ssl-order/v1/party', 'a.buyer_id')}, 'name', a.name,
      'value', json_build_object('system', ${shownSystem('a.system')}, 'code', a.code, 'display', a.display)
    ) order by a.id), '[]') as annotations
    from annotations a where a.item_id = i.id and a.buyer_id = $1) n`

export const searchStatements = { tables: statement(fromTables), model: statement(fromModel) }

/**
 * Creates the read model of the search besides the tables of the product: a row per buyer and
 * listed item.
 */
export async function makeReadModel(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create schema if not exists bench;
    drop table if exists bench.orderable;
    create table bench.orderable as
      select w.buyer_id, w.item_id, i.name, c.seller_id,
        i.status = 'AVAILABLE' and c.status = 'ACTIVE' as orderable,
        array(
          select concat(a.name, ':', a.system, '|', a.code) from annotations a
          where a.item_id = w.item_id and a.buyer_id = w.buyer_id
        ) as annotations
      from white_list_entries w
      join catalogue_items i on i.id = w.item_id
      join catalogues c on c.id = i.catalogue_id;
    create index on bench.orderable (buyer_id, name, item_id) include (annotations, seller_id) where orderable`)
  await sql`vacuum analyze bench.orderable`
}
