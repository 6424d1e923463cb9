import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { cloneDatabase } from '../../fixtures/app.js'
import { tokenOf } from '../../fixtures/callers.js'
import { excel } from '../../fixtures/excel/client.js'
import { handMade, sheetXml } from '../../fixtures/excel/workbook.js'
import { repeatedContent } from '../../fixtures/excel/zip.js'
import { readyServer, type Server } from '../../fixtures/server.js'

const secret = 'Kilroy was here'
const [start = '', end = ''] = sheetXml('|').split('|')
/** A text, then empty cells of nearly the limit of bytes, which take seconds to read. */
const endless = handMade({
  sheets: [
    {
      xml: repeatedContent(
        `${start}<row><c t="inlineStr"><is><t>${secret}</t></is></c></row>`,
        `<row>${'<c s="1"/>'.repeat(1000)}</row>`,
        21_000,
        end
      )
    }
  ]
})

/** The child process of the server that reads a workbook, once it has started. */
async function readerOf({ process: { pid } }: Server): Promise<{ pid: number; command: string }> {
  for (;;) {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    const command = child && readFileSync(`/proc/${child}/cmdline`, 'utf8')
    if (command.includes('child.js')) return { pid: Number(child), command }
    await pause(10)
  }
}

t.test('an upload is read in a sandboxed child process', async (t) => {
  const database = { DATABASE_URL: await cloneDatabase(t) }
  const server = await readyServer(t, { ...database, LOG_LEVEL: 'trace' })
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(endless)]), `${secret}.xlsx`)
  const authorization = tokenOf('AdministrativeClerk', 'o')
  const uploading = fetch(`${server.url}${excel}/catalogue`, {
    method: 'POST',
    headers: { authorization },
    body: form
  })
  const reader = await readerOf(server)
  t.match(reader.command, /\0--(experimental-)?permission\0/)

  t.test(
    'the end of the child process is an error in the response and in the log, without content of the file',
    async (t) => {
      process.kill(reader.pid, 'SIGTERM')
      const response = await uploading
      const body = await response.text()
      t.match(JSON.parse(body), {
        status: 500,
        code: 'reader-failed',
        title: 'The workbook could not be read'
      })
      t.equal(response.status, 500)
      t.match(JSON.parse(body).detail, 'Try again, and contact support')
      await server.stop()
      t.match(server.output(), '"code":"reader-failed","cause":{"name":"WorkbookError"')
      t.notMatch(body + server.output(), secret)
    }
  )
})
