/** Moves an order from SUBMITTED and writes its trace: $1 order, $2 new status, $3 id of the trace line. */
export const acceptStatement = `
  with moved as (
    update orders o set status = $2, revision = o.revision + 1, trace_count = o.trace_count + 1, changed_at = now()
    from parties p where o.id = $1 and o.status = 'SUBMITTED' and o.deleted_at is null and p.id = o.seller_id
    returning o.id, o.trace_count, p.name
  )
  insert into trace_lines
    (id, order_id, seq, timestamp, created_by_organization, text, supplementary_text, old_status, new_status)
  select $3::uuid, id, trace_count, now(), name, 'Order status changed.', 'Old value: SUBMITTED. New value: ' || $2 || '.', 'SUBMITTED', $2
  from moved returning 1`
