import type { Sql } from 'postgres'

/** Makes the read model of the search, beside the product's tables: a row for each buyer and item that it lists. */
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
