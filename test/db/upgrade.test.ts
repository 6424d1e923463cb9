import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import postgres from 'postgres'
import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { differencesIn } from '../fixtures/copies.js'
import {
  migrationHashes,
  type ReleasedDatabase,
  readDatabase,
  upgradedDatabase
} from '../fixtures/released/database.js'
import { asServerRole } from '../fixtures/server-role.js'
import {
  add,
  catalogue,
  orders,
  organization,
  pathOf,
  patient,
  transitionTo,
  world
} from '../fixtures/world.js'

/*
 * Each file of test/fixtures/released has a database of a released version, and what that version
 * responded about it. RELEASING.md says how a release adds its file.
 */

interface Release extends ReleasedDatabase {
  /** An accepted order. */
  order: string
  /** Responses by path, to the nurse. */
  responses: Readonly<Record<string, unknown>>
}

const folder = 'test/fixtures/released'
const { RELEASE } = process.env
if (RELEASE)
  t.test(`it saves the database of ${RELEASE}`, async (t) => {
    writeFileSync(join(folder, `${RELEASE}.json`), `${JSON.stringify(await release(await testApp(t)))}\n`)
  })

const nurseOf = ({ as }: TestApp) =>
  as('MonitoringResponsible', organization('region'), { name: 'Nora Nurse' })

/** Fills a database through the API, with orders in several states. */
async function release(app: TestApp): Promise<Release> {
  const w = await world(app)
  const { nurse, provider, clerk } = w
  await nurse.create(`${catalogue}/black-list`, { patient: patient('p2'), item: w.repair })
  await clerk.create(`${catalogue}/annotation`, {
    ...{ catalogueItem: w.monitor, buyer: w.buyer, name: 'ehealth/device-type' },
    value: { system: 'http://snomed.info/sct', code: '258057004' }
  })
  await w.createDraft({ name: 'Draft' })
  const delivered = await w.submitted()
  await provider.patch(pathOf(delivered.order), transitionTo('ACCEPTED'), 204)
  const device = add('/device', { serialNumber: 'S-1', lotNumber: 'L-1' })
  for (const line of delivered.lines)
    await provider.patch(pathOf(line), [...transitionTo('FULFILLED'), device], 204)
  const { order, lines } = await w.submitted(2)
  await nurse.patch(pathOf(order), [add('/notes/-', { note: 'Ring først' }), add('/awaiting', 'SELLER')], 204)
  await provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
  const paths = [
    ...[w.buyer, w.seller, w.contract, w.catalogue, w.monitor, w.repair, order, ...lines].map(pathOf),
    ...[order, delivered.order].map((each) => `${pathOf(each)}/details`),
    ...[`${orders}/order-lines`, `${orders}/trace-lines?order=${order}`, `${orders}/contracts`],
    ...[
      `${catalogue}/annotations`,
      `${catalogue}/white-lists`,
      `${catalogue}/black-lists?patient=${patient('p2')}`
    ]
  ]
  const responses: Record<string, unknown> = {}
  for (const path of paths) responses[path] = (await nurse.get(path, 200)).body
  return { ...(await readDatabase(app.sql)), order, responses }
}

for (const file of readdirSync(folder).filter((each) => each.endsWith('.json')))
  t.test(`a database of ${basename(file, '.json')} is upgraded`, async (t) => {
    const released: Release = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    const { migrations, responses, order } = released
    t.strictSame(migrationHashes().slice(0, migrations.length), migrations, 'no released migration changed')
    const url = await upgradedDatabase(t, released)
    const sql = postgres(url, { max: 1 })
    t.same(await differencesIn(sql), [], 'copies equal their sources')
    await sql.end()
    const app = await testApp(t, {}, async () => asServerRole(url))
    const nurse = nurseOf(app)
    for (const [path, body] of Object.entries(responses)) t.has((await nurse.get(path, 200)).body, body, path)
    await nurse.patch(pathOf(order), transitionTo('CANCELLED'), 204)
    t.equal((await nurse.get(pathOf(order), 200)).body.status.code, 'CANCELLED')
  })
