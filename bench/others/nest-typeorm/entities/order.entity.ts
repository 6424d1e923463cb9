import {
  Column,
  DeleteDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  type Relation
} from 'typeorm'
import { OrderLine } from './order-line.entity.js'
import { Party } from './party.entity.js'
import { TraceLine } from './trace-line.entity.js'

/** What a buyer wants of a provider for a patient. */
@Entity('orders')
export class Order {
  @PrimaryColumn('uuid')
  id: string

  @Column('jsonb')
  identifiers: object[]

  @Column('text', { nullable: true })
  name: string | null

  @Column('text')
  status: string

  @Column('boolean')
  priority: boolean

  @Column('jsonb')
  notes: object[]

  @Column('uuid', { name: 'buyer_id' })
  buyerId: string

  @Column('uuid', { name: 'seller_id' })
  sellerId: string

  @Column('text', { name: 'receiver_name' })
  receiverName: string

  @Column('text', { name: 'receiver_address_line1', nullable: true })
  receiverAddressLine1: string | null

  @Column('text', { name: 'receiver_address_line2', nullable: true })
  receiverAddressLine2: string | null

  @Column('text', { name: 'receiver_postal_code', nullable: true })
  receiverPostalCode: string | null

  @Column('text', { name: 'receiver_postal_district', nullable: true })
  receiverPostalDistrict: string | null

  @Column('text', { name: 'receiver_email', nullable: true })
  receiverEmail: string | null

  @Column('text', { name: 'receiver_phone', nullable: true })
  receiverPhone: string | null

  @Column('text')
  patient: string

  @Column('text', { name: 'search_text' })
  searchText: string

  @Column('integer')
  revision: number

  @Column('integer', { name: 'trace_count' })
  traceCount: number

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt: Date

  @Column({ type: 'timestamptz', name: 'changed_at', precision: 3 })
  changedAt: Date

  @Column({ type: 'timestamptz', name: 'submitted_at', precision: 3, nullable: true })
  submittedAt: Date | null

  @DeleteDateColumn({ type: 'timestamptz', name: 'deleted_at', precision: 3 })
  deletedAt: Date | null

  @ManyToOne(() => Party)
  @JoinColumn({ name: 'seller_id' })
  seller: Relation<Party>

  @OneToMany(
    () => OrderLine,
    (line) => line.order
  )
  lines: Relation<OrderLine>[]

  @OneToMany(
    () => TraceLine,
    (trace) => trace.order
  )
  traceLines: Relation<TraceLine>[]
}
