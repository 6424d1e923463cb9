import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm'
import { Party } from './party.entity.js'

/** A seller's list of items. */
@Entity('catalogues')
export class Catalogue {
  @PrimaryColumn('uuid')
  id: string

  @Column('jsonb')
  identifiers: object[]

  @Column('uuid', { name: 'seller_id' })
  sellerId: string

  @Column('text')
  name: string

  @Column('text')
  status: string

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt: Date

  @ManyToOne(() => Party)
  @JoinColumn({ name: 'seller_id' })
  seller: Relation<Party>
}
