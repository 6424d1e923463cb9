import { Column, Entity, JoinColumn, ManyToOne, OneToMany, PrimaryColumn, type Relation } from 'typeorm'
import { Annotation } from './annotation.entity.js'
import { Catalogue } from './catalogue.entity.js'

/** A device model or a service that a provider delivers. */
@Entity('catalogue_items')
export class CatalogueItem {
  @PrimaryColumn('uuid')
  id: string

  @Column('uuid', { name: 'catalogue_id' })
  catalogueId: string

  @Column('text')
  type: string

  @Column('jsonb')
  identifiers: object[]

  @Column('text')
  name: string

  @Column('text', { nullable: true })
  description: string | null

  @Column('text')
  status: string

  @Column('text', { nullable: true })
  manufacturer: string | null

  @Column('text', { nullable: true })
  model: string | null

  @Column('text', { nullable: true })
  version: string | null

  @Column('uuid', { name: 'related_to_id', nullable: true })
  relatedToId: string | null

  @Column('text', { name: 'service_type', nullable: true })
  serviceType: string | null

  @Column('text', { name: 'search_text' })
  searchText: string

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt: Date

  @ManyToOne(() => Catalogue)
  @JoinColumn({ name: 'catalogue_id' })
  catalogue: Relation<Catalogue>

  @OneToMany(
    () => Annotation,
    (annotation) => annotation.item
  )
  annotations: Relation<Annotation>[]
}
