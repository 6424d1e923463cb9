import type { Repository, SelectQueryBuilder } from 'typeorm'
import { type ItemQuery, today } from '../../common/queries.js'
import { Annotation } from '../entities/annotation.entity.js'
import { BlackListEntry } from '../entities/black-list-entry.entity.js'
import type { CatalogueItem } from '../entities/catalogue-item.entity.js'
import { Contract } from '../entities/contract.entity.js'
import { WhiteListEntry } from '../entities/white-list-entry.entity.js'

type ItemBuilder = SelectQueryBuilder<CatalogueItem>

/** The query for what a buyer can order for a patient today, with all of these annotations, in order of name. */
export function orderableItems(items: Repository<CatalogueItem>, wanted: ItemQuery): ItemBuilder {
  const { buyerId, patient, limit, after } = wanted
  const query = items
    .createQueryBuilder('item')
    .innerJoin('item.catalogue', 'catalogue')
    .where('item.status = :available AND catalogue.status = :active')
    .andWhere((qb) => `EXISTS ${contractInForce(qb)}`)
    .andWhere((qb) => `EXISTS ${listed(qb)}`)
    .andWhere((qb) => `NOT EXISTS ${blackListed(qb)}`)
    .setParameters({ available: 'AVAILABLE', active: 'ACTIVE', buyerId, patient, today: today() })
    .orderBy('item.name', 'ASC')
    .addOrderBy('item.id', 'ASC')
    .take(limit + 1)
  for (const [at, each] of wanted.annotations.entries()) addAnnotation(query, at, each)
  if (after) query.andWhere((qb) => `(item.name, item.id) > ${nameOf(qb)}`, { after })
  return query
}

const contractInForce = (query: ItemBuilder) =>
  query
    .subQuery()
    .select('1')
    .from(Contract, 'contract')
    .innerJoin('contract.buyers', 'entry')
    .innerJoin('contract.seller', 'seller')
    .innerJoin('entry.buyer', 'buyer')
    .where('contract.sellerId = catalogue.sellerId AND entry.buyerId = :buyerId')
    .andWhere('contract.firstDay <= :today AND contract.lastDay >= :today')
    .andWhere("'SELLER' = ANY(seller.allowedRoles) AND 'BUYER' = ANY(buyer.allowedRoles)")
    .getQuery()

const listed = (query: ItemBuilder) =>
  query
    .subQuery()
    .select('1')
    .from(WhiteListEntry, 'white')
    .where('white.itemId = item.id AND white.buyerId = :buyerId')
    .getQuery()

const blackListed = (query: ItemBuilder) =>
  query
    .subQuery()
    .select('1')
    .from(BlackListEntry, 'black')
    .where('black.itemId = item.id AND black.patient = :patient')
    .getQuery()

/** Where a further page begins: after the item that the last one ended with. */
const nameOf = (query: ItemBuilder) =>
  query
    .subQuery()
    .select(['last.name', 'last.id'])
    .from('catalogue_items', 'last')
    .where('last.id = :after')
    .getQuery()

function addAnnotation(query: ItemBuilder, at: number, value: ItemQuery['annotations'][number]): void {
  const alias = `annotation${at}`
  const exists = query
    .subQuery()
    .select('1')
    .from(Annotation, alias)
    .where(`${alias}.itemId = item.id AND ${alias}.buyerId = :buyerId`)
    .andWhere(`${alias}.name = :name${at} AND ${alias}.system = :system${at} AND ${alias}.code = :code${at}`)
    .getQuery()
  query.andWhere(`EXISTS ${exists}`, {
    [`name${at}`]: value.name,
    [`system${at}`]: value.system,
    [`code${at}`]: value.code
  })
}
