import { Module } from '@nestjs/common'
import { TypeOrmModule } from '@nestjs/typeorm'
import { Order } from '../entities/order.entity.js'
import { OrderLine } from '../entities/order-line.entity.js'
import { TraceLine } from '../entities/trace-line.entity.js'
import { OrderController } from './order.controller.js'
import { OrderService } from './order.service.js'

/** Orders, their lines and their trace. */
@Module({
  imports: [TypeOrmModule.forFeature([Order, OrderLine, TraceLine])],
  controllers: [OrderController],
  providers: [OrderService]
})
export class OrdersModule {}
