import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm'
import { Order } from './order.entity.js'

/** Something that happened to an order. */
@Entity('trace_lines')
export class TraceLine {
  @PrimaryColumn('uuid')
  id: string

  @Column('uuid', { name: 'order_id' })
  orderId: string

  @Column('integer')
  seq: number

  @Column({ type: 'timestamptz', precision: 3 })
  timestamp: Date

  @Column('text', { name: 'created_by_organization' })
  createdByOrganization: string

  @Column('text')
  text: string

  @Column('text', { name: 'supplementary_text' })
  supplementaryText: string

  @Column('uuid', { name: 'order_line_id', nullable: true })
  orderLineId: string | null

  @Column('text', { name: 'old_status', nullable: true })
  oldStatus: string | null

  @Column('text', { name: 'new_status', nullable: true })
  newStatus: string | null

  @ManyToOne(
    () => Order,
    (order) => order.traceLines
  )
  @JoinColumn({ name: 'order_id' })
  order: Relation<Order>
}
