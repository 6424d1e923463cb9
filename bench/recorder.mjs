import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

/**
 * Loaded before a server (`node --import`). Records a CPU profile between a first and a second
 * SIGUSR2 into the file of PROFILE. JavaScript without types, so that no compiler runs in the
 * server.
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
