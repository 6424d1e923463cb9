import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm'
import { Contract } from './contract.entity.js'
import { Party } from './party.entity.js'

/** A buyer of a contract. */
@Entity('contract_buyers')
export class ContractBuyer {
  @PrimaryColumn('uuid', { name: 'contract_id' })
  contractId: string

  @PrimaryColumn('uuid', { name: 'buyer_id' })
  buyerId: string

  @Column('integer')
  position: number

  @ManyToOne(
    () => Contract,
    (contract) => contract.buyers
  )
  @JoinColumn({ name: 'contract_id' })
  contract: Relation<Contract>

  @ManyToOne(() => Party)
  @JoinColumn({ name: 'buyer_id' })
  buyer: Relation<Party>
}
