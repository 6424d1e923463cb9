import { PrismaPg } from '@prisma/adapter-pg'
import { settings } from '../common/settings.js'
import { PrismaClient } from './generated/client.js'

const adapter = new PrismaPg({ connectionString: settings.databaseUrl, max: settings.pool })

/** The client of the whole process. */
export const prisma = new PrismaClient({ adapter })
