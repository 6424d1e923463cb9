import { Column, Entity, PrimaryColumn } from 'typeorm'

/** An identifier of an item, unique within the catalogue. */
@Entity('item_identifiers')
export class ItemIdentifier {
  @PrimaryColumn('uuid', { name: 'catalogue_id' })
  catalogueId: string

  @PrimaryColumn('text')
  digest: string

  @Column('uuid', { name: 'item_id' })
  itemId: string
}
