import t from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { buildApp } from '../../src/app.js'
import { cloneDatabase, settingsWithoutTimePressure } from '../fixtures/app.js'
import { asServerRole } from '../fixtures/server-role.js'

t.test('rejects a start with another time zone, and says what to do', async (t) => {
  const url = asServerRole(await cloneDatabase(t))
  const startIn = (zone: string) =>
    buildApp(loadConfig({ ...settingsWithoutTimePressure, LOG_LEVEL: 'silent', TIME_ZONE: zone }), url)
  await (await startIn('Europe/Lisbon')).close()
  await t.rejects(startIn('Europe/Copenhagen'), {
    message:
      'TIME_ZONE is Europe/Copenhagen, but the times in this database were computed with Europe/Lisbon. Set TIME_ZONE=Europe/Lisbon, or use a new database.'
  })
  await (await startIn('Europe/Lisbon')).close()
})
