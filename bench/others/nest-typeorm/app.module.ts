import { Module } from '@nestjs/common'
import { TypeOrmModule } from '@nestjs/typeorm'
import { settings } from '../common/settings.js'
import { CatalogueModule } from './catalogue/catalogue.module.js'
import { HealthController } from './health.controller.js'
import { OrdersModule } from './orders/orders.module.js'

/** The whole server. */
@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: settings.databaseUrl,
      poolSize: settings.pool,
      autoLoadEntities: true,
      synchronize: false
    }),
    OrdersModule,
    CatalogueModule
  ],
  controllers: [HealthController]
})
export class AppModule {}
