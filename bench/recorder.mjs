import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

/*
 * Loaded before a server (`node --import`), it records where time goes between a first SIGUSR2 and a second one, and writes that to the file
 * of PROFILE. JavaScript without types, so that nothing that compiles them runs in the server.
 */

const session = new Session()
let isRecording = false

process.on('SIGUSR2', async () => {
  if (isRecording) {
    const { profile } = await session.post('Profiler.stop')
    writeFileSync(process.env.PROFILE ?? '', JSON.stringify(profile))
    return
  }
  isRecording = true
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 400 })
  await session.post('Profiler.start')
})
