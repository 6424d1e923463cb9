import { ConflictException, Injectable, NotFoundException } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { DataSource, LessThan, Repository } from 'typeorm'
import { v7 } from 'uuid'
import { acceptanceTrace, acceptedOrder, submitted } from '../../common/acceptance.js'
import type { OrderQuery } from '../../common/queries.js'
import { Order } from '../entities/order.entity.js'
import { TraceLine } from '../entities/trace-line.entity.js'

/**
 * Orders: details, a list, and the move to ACCEPTED. One order with relations is read by `find`: `findOne` limits the rows, and
 * with joins that costs a statement more.
 */
@Injectable()
export class OrderService {
  constructor(
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    private readonly dataSource: DataSource
  ) {}

  /** An order with its lines and its trace. */
  async details(id: string): Promise<Order> {
    const [order] = await this.orders.find({
      where: { id },
      relations: { lines: true, traceLines: true },
      order: { lines: { id: 'ASC' }, traceLines: { timestamp: 'ASC', seq: 'ASC' } }
    })
    if (!order) throw new NotFoundException()
    return order
  }

  /** A seller's orders, newest first, and one more than wanted where there are more. */
  list({ sellerId, status, limit, after }: OrderQuery): Promise<Order[]> {
    return this.orders.find({
      where: { sellerId, status, ...(after ? { id: LessThan(after) } : {}) },
      order: { id: 'DESC' },
      take: limit + 1
    })
  }

  /** Accepts an order, if it is still at the revision that was read. */
  async accept(id: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const [order] = await manager.find(Order, { where: { id }, relations: { seller: true } })
      if (!order) throw new NotFoundException()
      if (order.status !== submitted) throw new ConflictException()
      const at = new Date()
      const { revision } = order
      const { affected } = await manager.update(Order, { id, revision }, acceptedOrder(order, at))
      if (affected !== 1) throw new ConflictException()
      await manager.insert(TraceLine, { id: v7(), orderId: id, ...acceptanceTrace(order, at) })
    })
  }
}
