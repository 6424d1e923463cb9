import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common'
import type { Response } from 'express'
import type { ItemInput } from '../../common/item-rows.js'
import { itemOf } from '../../common/item-view.js'
import { itemQuery, linkTo } from '../../common/queries.js'
import { catalogueBase } from '../../common/references.js'
import { ItemService } from './item.service.js'

/** The addresses of catalogue items. */
@Controller('ssl-catalogue/v1/catalogue-items')
export class ItemController {
  constructor(private readonly items: ItemService) {}

  @Get()
  async search(@Query() query: Record<string, unknown>, @Res({ passthrough: true }) response: Response) {
    const { rows, next, annotationsOf } = await this.items.search(itemQuery(query))
    if (next) response.set('link', linkTo(`${catalogueBase}/catalogue-items`, query, next))
    return rows.map((row) => itemOf(row, annotationsOf(row.id)))
  }

  @Post()
  async create(@Body() inputs: ItemInput[]) {
    const items = await this.items.create(inputs)
    return items.map((row) => itemOf(row))
  }
}
