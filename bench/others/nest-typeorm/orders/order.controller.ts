import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Patch,
  Query,
  Res,
  UnprocessableEntityException
} from '@nestjs/common'
import type { Response } from 'express'
import { isAcceptance } from '../../common/acceptance.js'
import { detailsOf, orderOf } from '../../common/order-view.js'
import { linkTo, orderQuery, pageOf } from '../../common/queries.js'
import { ordersBase } from '../../common/references.js'
import { OrderService } from './order.service.js'

/** The addresses of orders. */
@Controller('ssl-order/v1')
export class OrderController {
  constructor(private readonly orders: OrderService) {}

  @Get('order/:id/details')
  async details(@Param('id') id: string) {
    return detailsOf(await this.orders.details(id))
  }

  @Get('orders')
  async list(@Query() query: Record<string, unknown>, @Res({ passthrough: true }) response: Response) {
    const wanted = orderQuery(query)
    const page = pageOf(await this.orders.list(wanted), wanted.limit)
    if (page.next) response.set('link', linkTo(`${ordersBase}/orders`, query, page.next))
    return page.rows.map(orderOf)
  }

  @Patch('order/:id')
  @HttpCode(204)
  async patch(@Param('id') id: string, @Body() patch: unknown): Promise<void> {
    if (!isAcceptance(patch)) throw new UnprocessableEntityException()
    await this.orders.accept(id)
  }
}
