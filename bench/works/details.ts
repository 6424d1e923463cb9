import { callersOf, idIn, type Work } from './work.js'

interface Details {
  order: { id: string; status: { code: string }; receiver: { name: string } }
  orderLines: { id: string; item: string; status: { code: string } }[]
  traceLines: { id: string; timestamp: string; statusChange: { newStatus: { code: string } } | null }[]
}

/** Details of random orders, asked for by who ordered. */
export const details: Work = {
  name: 'w1',
  title: 'order details',
  status: 200,
  least: 500,
  warmUp: 6000,
  async prepare(sql, seed) {
    const rows = await sql`
      select o.id, p.organization from orders o join parties p on p.id = o.buyer_id
      order by md5(o.id::text || ${seed}::text) limit 20000`
    const { callers, tokenOf } = callersOf(
      'MonitoringResponsible',
      rows.map((row) => row.organization)
    )
    const requests = rows.map(({ id, organization }) => ({
      method: 'GET' as const,
      path: `/ssl-order/v1/order/${id}/details`,
      token: tokenOf(organization),
      holds: id
    }))
    return { requests, callers }
  },
  gist(body) {
    const { order, orderLines, traceLines } = body as Details
    return {
      order: [order.id, order.status.code, order.receiver.name],
      lines: orderLines.map((line) => [line.id, idIn(line.item), line.status.code]),
      traces: traceLines.map((trace) => [
        trace.id,
        trace.timestamp,
        trace.statusChange?.newStatus.code ?? null
      ])
    }
  }
}
