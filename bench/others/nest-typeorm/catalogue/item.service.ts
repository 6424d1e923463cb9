import { Injectable } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { DataSource, In, Repository } from 'typeorm'
import { v7 } from 'uuid'
import { type ItemInput, rowsOf } from '../../common/item-rows.js'
import { type ItemQuery, pageOf } from '../../common/queries.js'
import { Annotation } from '../entities/annotation.entity.js'
import { CatalogueItem } from '../entities/catalogue-item.entity.js'
import { ItemIdentifier } from '../entities/item-identifier.entity.js'
import { orderableItems } from './item.search.js'

/** Catalogue items: the search for what can be ordered, and the bulk create. */
@Injectable()
export class ItemService {
  constructor(
    @InjectRepository(CatalogueItem) private readonly items: Repository<CatalogueItem>,
    @InjectRepository(Annotation) private readonly annotations: Repository<Annotation>,
    private readonly dataSource: DataSource
  ) {}

  /** A page of what a buyer can order for a patient, with the buyer's annotations. */
  async search(wanted: ItemQuery) {
    const page = pageOf(await orderableItems(this.items, wanted).getMany(), wanted.limit)
    const annotations = await this.annotations.find({
      where: { buyerId: wanted.buyerId, itemId: In(page.rows.map((row) => row.id)) },
      order: { id: 'ASC' }
    })
    return { ...page, annotationsOf: (id: string) => annotations.filter((each) => each.itemId === id) }
  }

  /** Creates items with their annotations, all or none. */
  async create(inputs: readonly ItemInput[]) {
    const { items, itemIdentifiers, annotations } = rowsOf(inputs, v7, new Date())
    await this.dataSource.transaction(async (manager) => {
      await manager.insert(CatalogueItem, items)
      await manager.insert(ItemIdentifier, itemIdentifiers)
      await manager.insert(Annotation, annotations)
    })
    return items
  }
}
