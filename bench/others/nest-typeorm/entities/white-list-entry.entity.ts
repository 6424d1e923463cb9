import { Column, Entity, PrimaryColumn } from 'typeorm'

/** An item that a buyer may order. */
@Entity('white_list_entries')
export class WhiteListEntry {
  @PrimaryColumn('uuid')
  id: string

  @Column('uuid', { name: 'buyer_id' })
  buyerId: string

  @Column('uuid', { name: 'item_id' })
  itemId: string

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt: Date
}
