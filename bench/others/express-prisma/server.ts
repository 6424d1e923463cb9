import express from 'express'
import { settings } from '../common/settings.js'
import { items } from './items.js'
import { orders } from './orders.js'
import { prisma } from './prisma.js'
import { answerError } from './refusal.js'

const app = express()
app.use(express.json({ limit: settings.bodyLimit, type: settings.jsonTypes }))
app.get('/health/ready', async (_request, response) => {
  await prisma.party.findFirst({ select: { id: true } })
  response.json({ status: 'ok' })
})
app.use('/ssl-order/v1', orders)
app.use('/ssl-catalogue/v1', items)
app.use(answerError)

const server = app.listen(settings.port, settings.host)

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close(() => void prisma.$disconnect())
  })
