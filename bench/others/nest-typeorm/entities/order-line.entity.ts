import {
  Column,
  DeleteDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation
} from 'typeorm'
import { Order } from './order.entity.js'

/** An item of an order. */
@Entity('order_lines')
export class OrderLine {
  @PrimaryColumn('uuid')
  id: string

  @Column('uuid', { name: 'order_id' })
  orderId: string

  @Column('uuid', { name: 'item_id' })
  itemId: string

  @Column('text')
  status: string

  @Column('text')
  action: string

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt: Date

  @DeleteDateColumn({ type: 'timestamptz', name: 'deleted_at', precision: 3 })
  deletedAt: Date | null

  @ManyToOne(
    () => Order,
    (order) => order.lines
  )
  @JoinColumn({ name: 'order_id' })
  order: Relation<Order>
}
