import { Controller, Get } from '@nestjs/common'
import { DataSource } from 'typeorm'

/** Tells when requests can be answered. */
@Controller('health')
export class HealthController {
  constructor(private readonly dataSource: DataSource) {}

  @Get('ready')
  async ready() {
    await this.dataSource.query('select 1')
    return { status: 'ok' }
  }
}
