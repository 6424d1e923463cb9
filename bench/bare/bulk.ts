import { createHash } from 'node:crypto'
import { v7 } from 'uuid'
import { searchText } from '../../src/platform/util/search-text.js'
import { terminology } from './json.js'

interface Item {
  catalogueItemType: string
  identifiers: { system: string; value: string }[]
  catalogue: string
  name: string
  description: string
  status: string
  manufacturer: string
  model: string
  version: string
  annotations: { buyer: string; name: string; value: { system: string; code: string } }[]
}

const idOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

/** Items, identifiers and annotations, each as one JSON parameter. */
export const bulkStatement = `
  with items as (
    insert into catalogue_items
      (id, catalogue_id, type, identifiers, name, description, status, manufacturer, model, version, search_text, created_at)
    select id, catalogue_id, type, identifiers, name, description, status, manufacturer, model, version, search_text, now()
    from json_to_recordset($1::text::json) as r(id uuid, catalogue_id uuid, type text, identifiers jsonb, name text,
      description text, status text, manufacturer text, model text, version text, search_text text)
  ), identifiers as (
    insert into item_identifiers (catalogue_id, digest, item_id)
    select catalogue_id, digest, item_id
    from json_to_recordset($2::text::json) as r(catalogue_id uuid, digest text, item_id uuid)
  )
  insert into annotations (id, item_id, buyer_id, name, system, code, display, created_at)
  select id, item_id, buyer_id, name, system, code, display, now()
  from json_to_recordset($3::text::json) as r(id uuid, item_id uuid, buyer_id uuid, name text, system text, code text, display text)`

/** The parameters of the statement, and the response. */
export function bulkRows(items: readonly Item[]) {
  const rows = items.map((item) => ({
    id: v7(),
    catalogue_id: idOf(item.catalogue),
    type: item.catalogueItemType,
    identifiers: item.identifiers,
    name: item.name,
    description: item.description,
    status: item.status,
    manufacturer: item.manufacturer,
    model: item.model,
    version: item.version,
    search_text: searchText(
      item.name,
      item.model,
      item.manufacturer,
      ...item.identifiers.map((each) => each.value)
    )
  }))
  const identifiers = rows.flatMap(({ id, catalogue_id, identifiers }) =>
    identifiers.map(({ system, value }) => ({
      catalogue_id,
      digest: createHash('sha256')
        .update(JSON.stringify([system, value]))
        .digest('base64'),
      item_id: id
    }))
  )
  const annotations = items.flatMap((item, at) =>
    item.annotations.map(({ buyer, name, value: { system, code } }) => ({
      id: v7(),
      item_id: rows[at]?.id,
      buyer_id: idOf(buyer),
      name,
      system: terminology.storedSystem(system),
      code,
      display: displayOf(name, system, code)
    }))
  )
  const answer = items.map(({ annotations: _, ...item }, at) => ({ id: rows[at]?.id, ...item }))
  return { parameters: [rows, identifiers, annotations].map((each) => JSON.stringify(each)), answer }
}

const displayOf = (name: string, system: string, code: string) =>
  terminology.choices(name).find((each) => each.code === code && each.system === system)?.display ?? null
