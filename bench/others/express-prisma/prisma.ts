import { PrismaPg } from '@prisma/adapter-pg'
import { settings } from '../common/settings.js'
import { PrismaClient } from './generated/client.js'

const adapter = new PrismaPg({ connectionString: settings.databaseUrl, max: settings.pool })

/** The client of the whole process. */
/** Bulk creates at the same time take longer than the five seconds that Prisma gives a transaction by itself. */
export const prisma = new PrismaClient({ adapter, transactionOptions: { maxWait: 30_000, timeout: 30_000 } })
