import { Column, Entity, JoinColumn, ManyToOne, OneToMany, PrimaryColumn, type Relation } from 'typeorm'
import { ContractBuyer } from './contract-buyer.entity.js'
import { Party } from './party.entity.js'

/** What lets a seller deliver to buyers, between two days. */
@Entity('contracts')
export class Contract {
  @PrimaryColumn('uuid')
  id: string

  @Column('text')
  name: string

  @Column('date', { name: 'first_day' })
  firstDay: string

  @Column('date', { name: 'last_day' })
  lastDay: string

  @Column('uuid', { name: 'seller_id' })
  sellerId: string

  @Column('uuid', { name: 'account_id' })
  accountId: string

  @Column('integer', { name: 'reminder_days', nullable: true })
  reminderDays: number | null

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt: Date

  @ManyToOne(
    () => Party,
    (party) => party.sales
  )
  @JoinColumn({ name: 'seller_id' })
  seller: Relation<Party>

  @OneToMany(
    () => ContractBuyer,
    (entry) => entry.contract
  )
  buyers: Relation<ContractBuyer>[]
}
