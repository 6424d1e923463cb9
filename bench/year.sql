-- A national year at the scale bench.scale, in a migrated database. The table choices has the codings of annotations.
-- The random numbers, and with them the data, repeat from a seed.

select setseed(0.1);
create schema bench;

-- A number of rows at this scale, at least two.
create function bench.size(whole int) returns int language sql as
$$ select greatest(2, round(whole * current_setting('bench.scale')::float8))::int $$;

create function bench.below(bound int) returns int language sql as
$$ select floor(bound * random())::int $$;

-- An element. A skew above 1 prefers the first elements.
create function bench.pick(list anyarray, skew float8 default 1) returns anyelement language sql as
$$ select list[1 + floor(cardinality(list) * random() ^ skew)::int] $$;

create function bench.word(words text) returns text language sql as
$$ select bench.pick(string_to_array(words, ' ')) $$;

create function bench.town() returns text language sql as
$$ select bench.word('Åstrup Bøgeby Egelund Fjordby Granslev Højmark Kildebro Lindø Nøddebo Skovkær') $$;

create function bench.maker() returns text language sql as
$$ select bench.pick('{Ålborg Medico,Bøgh Instruments,Nordlys Teknik,Fjord Sensorik,Kværn Medical,Solskær}'::text[]) $$;

create function bench.person() returns text language sql as $$
  select bench.word('Alma Bo Clara Dagmar Emil Frida Gorm Helle Ivan Jytte Kaj Lise Magnus Nanna Otto Pia Signe Tove')
    || ' ' || bench.word('Askov Bækgaard Dalby Elsted Grønlund Havbjerg Kærholt Lundsted Nørby Overgård Skovsen') $$;

create function bench.patient() returns text language sql as
$$ select 'https://fhir.example/Patient/p' || bench.below(bench.size(50000)) $$;

-- A UUID version 7 of a moment, like the ids of the product.
create function bench.id(moment timestamptz) returns uuid language sql as $$
  select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0')
    || '7' || substr(hex, 1, 3) || '8' || substr(hex, 4, 15))::uuid from md5(random()::text) hex $$;

create function bench.identifiers(system text, value text, assigner text) returns jsonb language sql as
$$ select jsonb_build_array(jsonb_build_object('system', system, 'value', value, 'assigner', assigner)) $$;

-- Each buyer has registered a seller, and so may change its catalogues.
insert into parties (id, allowed_roles, name, email, organization, registered_by, created_at)
select bench.id('2024-12-02'), array[role],
  case role when 'BUYER' then bench.town() || ' Kommune ' || n
    when 'SELLER' then bench.maker() || ' ' || n || ' A/S' else 'Regnskab ' || n end,
  lower(role) || n || '@mail.example', 'https://fhir.example/Organization/' || lower(role) || '-' || n,
  case role when 'SELLER' then 'https://fhir.example/Organization/buyer-' || n end, '2024-12-02'
from (values ('BUYER', 100), ('SELLER', 90), ('ACCOUNTING', 10)) roles (role, whole),
  generate_series(1, bench.size(whole)) n;

-- Each seller has a contract with half of the buyers, at most with 50, as in one nation, and an ended contract with some
-- of them.
insert into contracts (id, name, first_day, last_day, seller_id, account_id, reminder_days, created_at)
select bench.id('2024-12-02'), 'Aftale med ' || name, '2024-01-01', last_day, id, bench.pick(accounts), 30, '2024-12-02'
from parties, (select array_agg(id) as accounts from parties where allowed_roles = '{ACCOUNTING}') a,
  (values ('2099-12-31'::date, 1), ('2024-12-31', 0.3)) kinds (last_day, share)
where allowed_roles = '{SELLER}' and random() < share;

insert into contract_buyers (contract_id, position, buyer_id)
select contract, position - 1, buyer from (
  select c.id as contract, p.id as buyer, row_number() over (partition by c.id order by random()) as position
  from contracts c, parties p where p.allowed_roles = '{BUYER}'
) drawn where position <= least(50, greatest(2, bench.size(100) / 2));

insert into catalogues (id, identifiers, seller_id, name, status, created_at)
select bench.id('2024-12-02'), '[]', sellers[1 + n % cardinality(sellers)], 'Katalog ' || n,
  case when random() < 0.92 then 'ACTIVE' else 'DRAFT' end, '2024-12-02'
from (select array_agg(id) as sellers from parties where allowed_roles = '{SELLER}') s,
  generate_series(1, bench.size(200)) n;

-- A quarter of the items are services for the first device of their catalogue.
create temp table new_items as
select drawn.*, s.id as seller, s.name as seller_name, first_value(drawn.id) over by_catalogue as device,
  random() < 0.25 and lag(n) over by_catalogue is not null as is_service
from (
  select n, at, bench.id(at) as id, bench.pick(catalogues) as catalogue
  from (select array_agg(id) as catalogues from catalogues) c, generate_series(1, bench.size(50000)) n,
    lateral (select '2024-12-02'::timestamptz + n * interval '20 ms' as at) moment
) drawn join catalogues c on c.id = catalogue join parties s on s.id = c.seller_id
window by_catalogue as (partition by catalogue order by n);

insert into catalogue_items (id, catalogue_id, type, identifiers, name, description, status, manufacturer, model,
  version, related_to_id, service_type, search_text, created_at)
select id, catalogue, type, bench.identifiers('urn:oid:1.2.208.999.1', 'V' || n, seller_name), name,
  'Til brug i hjemmet, nr. ' || n, case when random() < 0.95 then 'AVAILABLE' else 'DISCONTINUED' end,
  manufacturer, model, version, device, service, fold_text(concat_ws(E'\n', name, model, manufacturer, 'V' || n)), at
from (
  select id, catalogue, n, at, seller_name, 'Service' as type, null as manufacturer, null as model, null as version,
    device, 'TRAINING' as service, bench.word('Levering Afhentning Oplæring Reparation Vedligehold Support')
      || ' ' || 1000 + bench.below(9000) as name
  from new_items where is_service
  union all
  select id, catalogue, n, at, seller_name, 'DeviceModel', bench.maker(), 'M-' || bench.below(900), '2', null, null,
    bench.word('Blodtryksmåler Iltmåler Personvægt Termometer Spirometer Blodsukkermåler EKG-optager Tablet Sensor')
      || ' ' || 1000 + bench.below(9000)
  from new_items where not is_service
) drawn order by n;

insert into item_identifiers (catalogue_id, digest, item_id)
select catalogue, encode(sha256(convert_to(format('["urn:oid:1.2.208.999.1","V%s"]', n), 'UTF8')), 'base64'), id
from new_items;

-- Two buyers of the seller list and annotate each item.
create temp table listed as
select id as item, at, seller, nth, third,
  buyers[1 + case nth when 1 then one else (one + 1 + other) % cardinality(buyers) end] as buyer
from (
  select i.*, buyers, floor(cardinality(buyers) * random() ^ 1.5)::int as one,
    bench.below(cardinality(buyers) - 1) as other, 3 + bench.below(4) as third
  from new_items i join (
    select seller_id, array_agg(buyer_id order by position) as buyers
    from contracts k join contract_buyers on contract_id = k.id where last_day > '2025-01-01' group by 1
  ) customers on seller_id = seller
) drawn, generate_series(1, 2) nth;

insert into white_list_entries (id, buyer_id, item_id, created_at)
select bench.id(at), buyer, item, at from listed;

-- Every search uses the first two names.
insert into annotations (id, item_id, buyer_id, name, system, code, display, created_at)
select bench.id(at), item, buyer, name, coding->>'system', coding->>'code', coding->>'display', at
from (
  select item, buyer, at, name, bench.pick(codings, 1.5) as coding
  from listed join choices on place <= 2 or (place = third and nth = 1)
) drawn;

insert into black_list_entries (id, patient, item_id, organization, created_at)
select bench.id('2025-01-01'), bench.patient(), bench.pick(items), 'https://fhir.example/Organization/buyer-1', '2025-01-01'
from (select array_agg(item) as items from listed) l, generate_series(1, bench.size(20000))
on conflict do nothing;

-- Nearly all old orders have ended, but only few new orders.
create temp table new_orders as
with assortments as materialized (
  select row_number() over () as number, buyer, seller, array_agg(item) as items from listed group by buyer, seller
), drawn as materialized (
  select n, '2025-01-01'::timestamptz + (n + random()) * (interval '365 days' / bench.size(200000)) as created_at,
    1 + bench.below((select count(*) from assortments)::int) as number, random() as fate
  from generate_series(0, bench.size(200000) - 1) n
), decided as materialized (
  select *, case when created_at > '2025-10-20' then case when fate < 0.5 then 'SUBMITTED' when fate < 0.75 then 'ACCEPTED'
      when fate < 0.85 then 'DRAFT' else 'FULFILLED' end
    when fate < 0.85 then 'FULFILLED' when fate < 0.93 then 'CANCELLED' when fate < 0.97 then 'REJECTED'
    else 'ACCEPTED' end as status
  from drawn
)
select *, bench.id(created_at) as id, bench.patient() as patient, 1 + bench.below(5) as line_count,
  case when random() < 0.28 then 'SUBMITTED' else 'UNFULFILLED' end as first_line_status,
  case when status <> 'DRAFT' and (status <> 'CANCELLED' or random() < 0.5)
    then created_at + random() * interval '2 hours' end as submitted_at,
  case when status = 'ACCEPTED' or (status = 'FULFILLED' and random() < 0.5)
    then created_at + (2 + 24 * random()) * interval '1 hour' end as accepted_at,
  case when status in ('FULFILLED', 'REJECTED', 'CANCELLED')
    then created_at + (26 + 150 * random()) * interval '1 hour' end as ended_at
from decided join assortments using (number)
join (select id as buyer, name as buyer_name, organization as buyer_organization from parties) b using (buyer)
join (select id as seller, name as seller_name, organization as seller_organization from parties) s using (seller);

-- Triggers are disabled, so these statements write the copied columns.
insert into order_lines (id, order_id, item_id, status, action, created_at, closed_at, ordered_item, buyer_organization,
  seller_organization, patient, submitted_at)
select line.id, line.order_id, item_id, line.status, 'DELIVER', line.created_at, ended_at,
  case when submitted_at is not null then jsonb_build_object('name', i.name, 'manufacturer', i.manufacturer,
    'model', i.model, 'version', i.version, 'identifiers', i.identifiers) end,
  buyer_organization, seller_organization, patient, submitted_at
from (
select bench.id(at) as id, id as order_id, n, nth, at as created_at, ended_at, bench.pick(items) as item_id,
  case when status = 'FULFILLED' then 'FULFILLED' when ended_at is not null then 'CANCELLED'
    when submitted_at is not null then 'SUBMITTED' else first_line_status end as status,
  buyer_organization, seller_organization, patient, submitted_at
from new_orders, generate_series(1, line_count) nth, lateral (select created_at + nth * interval '1 second' as at) moment
) line join catalogue_items i on i.id = item_id
order by n, nth;

create temp table moves as
select id as order_id, move.* from new_orders, lateral (values
  (submitted_at, buyer_name, 'DRAFT', 'SUBMITTED', first_line_status, 'SUBMITTED'),
  (accepted_at, seller_name, 'SUBMITTED', 'ACCEPTED', null, null),
  (ended_at, case status when 'CANCELLED' then buyer_name else seller_name end,
    case when accepted_at is not null then 'ACCEPTED' when submitted_at is not null then 'SUBMITTED' else 'DRAFT' end,
    status, case when submitted_at is null then first_line_status else 'SUBMITTED' end,
    case status when 'FULFILLED' then status else 'CANCELLED' end)
) move (at, organization, old, new, old_of_line, new_of_line) where at is not null;

create temp table trace as
select *, row_number() over (partition by order_id order by at, line nulls first) as seq from (
  select id as order_id, null::uuid as line, created_at as at, buyer_name as organization, null as old, null as new
  from new_orders
  union all select order_id, null, at, organization, old, new from moves
  union all select order_id, id, at, organization, old_of_line, new_of_line
  from moves join order_lines using (order_id) where old_of_line <> new_of_line
) lines;

insert into orders (id, identifiers, name, status, priority, notes, buyer_id, seller_id, receiver_name,
  receiver_address_line1, receiver_postal_code, receiver_postal_district, receiver_email, receiver_phone, patient,
  search_text, revision, trace_count, created_at, changed_at, submitted_at, answered_at, answer_due_at,
  buyer_organization, seller_organization)
select id, bench.identifiers('urn:oid:1.2.208.999.2', 'O' || n, buyer_name), name, status, random() < 0.1,
  case when random() < 0.3 then jsonb_build_array(jsonb_build_object('timestamp', to_jsonb(created_at), 'authorName',
    bench.person(), 'authorOrganization', buyer_name, 'note', 'Ring før levering, borgeren hører dårligt.'))
    else '[]' end, buyer, seller, receiver,
  bench.word('Birkevej Egealle Havnegade Kirkestien Lærkevej Møllegade Skolevej Åvænget') || ' ' || 1 + bench.below(180),
  1000 + bench.below(8999), bench.town(), 'modtager' || n || '@mail.example', '+45 ' || 10000000 + bench.below(89999999),
  patient, fold_text(concat_ws(E'\n', name, receiver, 'O' || n)), 1 + line_count + changes, trace_count,
  created_at, changed_at, submitted_at,
  coalesce(accepted_at, case when status in ('FULFILLED', 'REJECTED') then ended_at end),
  submitted_at + interval '7 days', buyer_organization, seller_organization
from (select *, 'Hjemmemonitorering ' || n as name, bench.person() as receiver from new_orders) drawn
join (
  select order_id as id, count(*) as trace_count, count(distinct at) as changes, max(at) as changed_at from trace group by 1
) traced using (id) order by n;

insert into trace_lines (id, order_id, seq, timestamp, created_by_organization, code, text, supplementary_text,
  order_line_id, old_status, new_status)
select bench.id(at), order_id, seq, at, organization,
  case when new is null then 'order-created' when line is null then 'order-status-changed'
    else 'order-line-status-changed' end,
  case when new is null then 'Order created.' when line is null then 'Order status changed.'
    else 'Order line status changed.' end,
  case when new is null then 'Status: DRAFT.' else format('Old value: %s. New value: %s.', old, new) end, line, old, new
from trace order by at, order_id, seq;

-- Delivered devices, of which each eighth was fetched.
insert into devices (line_id, order_id, buyer_id, seller_id, buyer_organization, seller_organization, item_id, model,
  serial_number, lot_number, used_from, used_until, end_reason)
select l.id, o.id, o.buyer_id, o.seller_id, l.buyer_organization, l.seller_organization, l.item_id, l.ordered_item, 'S-' || substr(l.id::text, 1, 13), 'L-' || n % 500, o.changed_at,
  case when n % 8 = 0 then o.changed_at end, case when n % 8 = 0 then 'RETURNED' end
from (select *, row_number() over (order by id) as n from order_lines where status = 'FULFILLED') l
join orders o on o.id = l.order_id join catalogue_items i on i.id = l.item_id and i.type = 'DeviceModel';

-- The ledger. The ids of events are those of the rows that they come from.
insert into events (time, id, type, change, subject_id, owner_id, sequence, old_status, new_status, is_of_draft)
select at, id, type, change, subject, owner, row_number() over (partition by subject order by at, id),
  old_status, new_status, submitted_at is null or at < submitted_at
from (
  select created_at as at, id, 'order.created' as type, 'created' as change, id as subject, id as owner,
    null as old_status, 'DRAFT' as new_status, submitted_at from orders
  union all
  select l.created_at, l.id, 'order-line.added', 'created', l.id, o.id, null, 'UNFULFILLED', o.submitted_at
  from order_lines l join orders o on o.id = l.order_id
  union all
  select t.timestamp, t.id,
    case when order_line_id is not null then 'order-line.status-changed'
      when new_status = 'SUBMITTED' then 'order.submitted' else 'order.status-changed' end,
    'changed', coalesce(order_line_id, o.id), o.id, old_status, new_status, o.submitted_at
  from trace_lines t join orders o on o.id = t.order_id where new_status is not null
) happened order by at, id;

drop schema bench cascade;
