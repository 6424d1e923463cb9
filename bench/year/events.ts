import type { Sql } from 'postgres'

/**
 * Writes the ledger of a year: the events of its orders and lines, by their time. Their ids are
 * those of the rows that they come from.
 */
export const writeEvents = (sql: Sql) => sql`
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
  ) happened order by at, id`
