import { useRef, useState } from 'preact/hooks'
import type { HistoryEntry } from '../../src/catalogue/history/history.schemas.js'
import { Dialog } from '../parts/dialog.js'
import { errorText } from '../parts/errors.js'
import { Status } from '../parts/status.js'
import { DataTable } from '../parts/table.js'
import { timeText } from '../parts/texts.js'
import { useCall } from '../parts/use-call.js'
import { listImports, undoImport } from './requests.js'
import { uploadText } from './upload-texts.js'

/** The imports of a catalogue, and a button to take the last one back. */
export function History({ address, onUndone }: { address: string; onUndone(): void }) {
  const { data: entries, error, reload } = useCall(() => listImports(address), [address])
  const heading = useRef<HTMLHeadingElement>(null)
  const [isAsking, setAsking] = useState(false)
  const [state, setState] = useState(() => () => '')
  const show = (text: () => string) => setState(() => text)
  const last = entries?.[0]

  async function undo({ id }: HistoryEntry) {
    setAsking(false)
    show(() => uploadText('undoing'))
    try {
      await undoImport(id)
      show(() => uploadText('undone'))
      onUndone()
    } catch (failure) {
      show(() => uploadText('undoFailed', { why: errorText(failure) }))
    }
    reload()
    heading.current?.focus()
  }
  return (
    <div class="history">
      <h3 ref={heading} tabindex={-1}>
        {uploadText('historyTitle')}
      </h3>
      {entries ? (
        <HistoryTable entries={entries} />
      ) : (
        <p>
          {error === undefined
            ? uploadText('historyLoading')
            : uploadText('historyFailed', { why: errorText(error) })}
        </p>
      )}
      {last?.undoable && (
        <button type="button" class="quiet" onClick={() => setAsking(true)}>
          {uploadText('undo', { when: timeText(last.recorded) })}
        </button>
      )}
      {last && isAsking && (
        <Dialog title={uploadText('undoQuestion')} onClose={() => setAsking(false)}>
          <p>{uploadText('undoHint')}</p>
          <footer>
            <button type="button" class="quiet" onClick={() => setAsking(false)}>
              {uploadText('undoCancel')}
            </button>
            <button type="button" onClick={() => undo(last)}>
              {uploadText('undoConfirm')}
            </button>
          </footer>
        </Dialog>
      )}
      <Status>{state()}</Status>
    </div>
  )
}

function HistoryTable({ entries }: { entries: readonly HistoryEntry[] }) {
  if (entries.length === 0) return <p>{uploadText('historyNone')}</p>
  const heads = (['historyWhen', 'historyWhat', 'historyFile', 'historyWho'] as const).map((key) =>
    uploadText(key)
  )
  return (
    <DataTable
      label={uploadText('historyTable')}
      heads={heads}
      rows={entries.map((entry) => [
        timeText(entry.recorded),
        changeText(entry),
        entry.fileName ?? '',
        entry.user ?? ''
      ])}
    />
  )
}

function changeText({ undoes, undone, items: { created, changed, withdrawn } }: HistoryEntry): string {
  return [
    uploadText(undoes === null ? 'historyImport' : 'historyUndo'),
    created > 0 && uploadText('didCreate', { count: created }),
    changed > 0 && uploadText('didChange', { count: changed }),
    withdrawn > 0 && uploadText('didWithdraw', { count: withdrawn }),
    undone !== null && uploadText('historyUndone')
  ]
    .filter(Boolean)
    .join(' ')
}
