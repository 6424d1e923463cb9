import t from 'tap'
import { defaultLimits } from '../../../src/xlsx/format/limits.js'
import { performTask, type TaskMessage } from '../../../src/xlsx/task.js'
import { sampleFile } from '../../fixtures/excel/reading.js'

t.test('a task sends only the name of an unexpected error', async (t) => {
  const limits = Object.defineProperty({ ...defaultLimits }, 'fileBytes', {
    get: () => {
      throw new RangeError('Kilroy was here')
    }
  })
  const messages: TaskMessage[] = []
  await performTask({ file: sampleFile('libreoffice.xlsx'), limits }, async (message) => {
    messages.push(message)
  })
  t.same(messages, [{ kind: 'failed', details: { code: 'reader-failed' }, cause: 'RangeError' }])
})
