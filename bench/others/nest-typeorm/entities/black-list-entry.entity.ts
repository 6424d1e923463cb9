import { Column, Entity, PrimaryColumn } from 'typeorm'

/** An item that is not ordered for a patient. */
@Entity('black_list_entries')
export class BlackListEntry {
  @PrimaryColumn('uuid')
  id: string

  @Column('text')
  patient: string

  @Column('uuid', { name: 'item_id' })
  itemId: string

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt: Date
}
