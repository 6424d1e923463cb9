import type { Sql } from 'postgres'
import { createPatientFormatter } from '../../src/audit/stored-patient.js'
import { callersOf, type Workload } from './workload.js'

/** Two audit events of each order by its buyer, all in one month. */
export async function fillAuditRecord(sql: Sql): Promise<void> {
  const key = Buffer.alloc(32, 'key')
  await sql`insert into secrets (name, value) values ('audit', ${key})`
  const patients = (await sql`select distinct patient from orders`).map((row): string => row.patient)
  const { format } = createPatientFormatter('hash', key)
  await sql`
    create temp table hashed as
    select * from unnest(${patients}::text[], ${patients.map(format)}::text[]::bytea[]) as hashed (patient, hash)`
  await sql`
    insert into audit_events (id, recorded, request_id, operation, interaction, user_type, user_id, organization, patients, orders)
    select gen_random_uuid(), orders.created_at + nth * interval '1 hour', gen_random_uuid(), 'getOrder', 'read',
      'MonitoringResponsible', 'user', parties.organization, array[hash], array[orders.id]
    from orders join parties on parties.id = buyer_id join hashed using (patient), generate_series(1, 2) as nth`
  await sql`vacuum analyze audit_events`
}

/** The audit events of a patient, read by a buyer of the patient's orders. */
export const auditSearch: Workload = {
  name: 'audit',
  title: 'audit search of a patient',
  status: 200,
  minBytes: 500,
  warmUp: 1000,
  async prepare(sql, seed) {
    const rows = await sql`
      select orders.patient, parties.organization from orders join parties on parties.id = buyer_id
      order by md5(orders.id::text || ${seed}::text) limit 3000`
    const { callers, tokenOf } = callersOf(
      'MonitoringResponsible',
      rows.map((row) => row.organization)
    )
    const requests = rows.map(({ patient, organization }) => ({
      method: 'GET' as const,
      path: `/ssl-order/v1/audit-events?${new URLSearchParams({ patient, to: '2026-06-30' })}`,
      token: tokenOf(organization),
      contains: 'hmac-sha256'
    }))
    return { requests, callers }
  }
}

/** The newest orders of a buyer. */
export const orderList: Workload = {
  name: 'orders',
  title: 'orders of a buyer',
  status: 200,
  minBytes: 5000,
  warmUp: 1000,
  async prepare(sql, seed) {
    const rows = await sql`
      select distinct organization, md5(organization || ${seed}::text) as place
      from parties join orders on buyer_id = parties.id order by place`
    const { callers, tokenOf } = callersOf(
      'MonitoringResponsible',
      rows.map((row) => row.organization)
    )
    const requests = rows.map(({ organization }) => ({
      method: 'GET' as const,
      path: '/ssl-order/v1/orders?limit=20',
      token: tokenOf(organization)
    }))
    return { requests, callers }
  }
}
