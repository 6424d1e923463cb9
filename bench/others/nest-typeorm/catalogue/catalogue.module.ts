import { Module } from '@nestjs/common'
import { TypeOrmModule } from '@nestjs/typeorm'
import { Annotation } from '../entities/annotation.entity.js'
import { BlackListEntry } from '../entities/black-list-entry.entity.js'
import { Catalogue } from '../entities/catalogue.entity.js'
import { CatalogueItem } from '../entities/catalogue-item.entity.js'
import { Contract } from '../entities/contract.entity.js'
import { ContractBuyer } from '../entities/contract-buyer.entity.js'
import { ItemIdentifier } from '../entities/item-identifier.entity.js'
import { Party } from '../entities/party.entity.js'
import { WhiteListEntry } from '../entities/white-list-entry.entity.js'
import { ItemController } from './item.controller.js'
import { ItemService } from './item.service.js'

const agreements = [Party, Contract, ContractBuyer]
const catalogues = [Catalogue, CatalogueItem, ItemIdentifier, Annotation, WhiteListEntry, BlackListEntry]

/** Catalogues, their items, and what decides whether those can be ordered. */
@Module({
  imports: [TypeOrmModule.forFeature([...agreements, ...catalogues])],
  controllers: [ItemController],
  providers: [ItemService]
})
export class CatalogueModule {}
