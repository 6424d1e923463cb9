import { performTask, type TaskMessage, type WorkbookTask } from './task.js'

/*
 * The program of the child process: one task, then exit. The workbook is untrusted, so running out
 * of memory or time here must not affect the process that serves requests.
 */

/** Resolves when the message is delivered. */
function send(message: TaskMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()))
  })
}

process.once('message', async (task: WorkbookTask) => {
  await performTask(task, send)
  process.disconnect()
})
// The parent no longer waits for the result.
process.once('disconnect', () => process.exit())
