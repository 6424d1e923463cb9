// A program prints the events of orders as they happen, and continues after the last event at its
// next start. TOKEN is the token of any user.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { adviceOn, order } from './connect.js'

const { STATE = 'events.cursor' } = process.env

const after = await readFile(STATE, 'utf8').catch(() => undefined)
const onExpired = () => console.log('Some events are lost: read the resources again here.')
const onFailure = (error: Error) =>
  console.error(`${adviceOn(error) ?? error.message} The program tries again.`)
for await (const { events, cursor } of order.events({ after, onExpired, onFailure })) {
  for (const { type, subject, data } of events) console.log(type, subject, data.newStatus ?? '')
  await writeFile(`${STATE}.new`, cursor)
  await rename(`${STATE}.new`, STATE)
}
