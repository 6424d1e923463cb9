import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm'
import { CatalogueItem } from './catalogue-item.entity.js'

/** What a buyer notes of an item. */
@Entity('annotations')
export class Annotation {
  @PrimaryColumn('uuid')
  id: string

  @Column('uuid', { name: 'item_id' })
  itemId: string

  @Column('uuid', { name: 'buyer_id' })
  buyerId: string

  @Column('text')
  name: string

  @Column('text')
  system: string

  @Column('text')
  code: string

  @Column('text', { nullable: true })
  display: string | null

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt: Date

  @ManyToOne(
    () => CatalogueItem,
    (item) => item.annotations
  )
  @JoinColumn({ name: 'item_id' })
  item: Relation<CatalogueItem>
}
