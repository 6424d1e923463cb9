import 'reflect-metadata'
import { HttpAdapterHost, NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { settings } from '../common/settings.js'
import { AppModule } from './app.module.js'
import { RefusedQueryFilter } from './refused-query.filter.js'

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn'] })
app.useBodyParser('json', { limit: settings.bodyLimit, type: settings.jsonTypes })
app.useGlobalFilters(new RefusedQueryFilter(app.get(HttpAdapterHost).httpAdapter))
app.enableShutdownHooks()
await app.listen(settings.port, settings.host)
