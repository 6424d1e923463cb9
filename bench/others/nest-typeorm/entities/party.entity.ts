import { Column, Entity, OneToMany, PrimaryColumn, type Relation } from 'typeorm'
import { Contract } from './contract.entity.js'

/** A buyer, a seller, or who pays. */
@Entity('parties')
export class Party {
  @PrimaryColumn('uuid')
  id: string

  @Column('text', { name: 'allowed_roles', array: true })
  allowedRoles: string[]

  @Column('text')
  name: string

  @Column('text', { nullable: true })
  email: string | null

  @Column('text')
  organization: string

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt: Date

  @OneToMany(
    () => Contract,
    (contract) => contract.seller
  )
  sales: Relation<Contract>[]
}
