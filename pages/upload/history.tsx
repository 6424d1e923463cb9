import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { HistoryEntry } from '../../src/catalogue/history/history.schemas.js'
import { ActionButton } from '../parts/actions.js'
import { Loaded } from '../parts/loaded.js'
import { partsText } from '../parts/parts-texts.js'
import { DataTable } from '../parts/table.js'
import { timeText } from '../parts/texts.js'
import { useCall } from '../parts/use-call.js'
import { listImports, undoImport } from './requests.js'
import { uploadText, uploadTextsOf } from './upload-texts.js'

/** The imports of a catalogue, and a button to undo the last import. */
export function History({ address, onUndone }: { address: string; onUndone(): void }) {
  const call = useCall(() => listImports(address), [address])
  const heading = useRef<HTMLHeadingElement>(null)
  const [isUndone, setUndone] = useState(false)

  async function undo({ id }: HistoryEntry) {
    await undoImport(id)
    setUndone(true)
    call.reload()
    onUndone()
  }
  // The button that had the focus is then removed.
  useLayoutEffect(() => {
    if (isUndone) heading.current?.focus()
  }, [isUndone, call.data])
  const undoButton = (entry: HistoryEntry) => (
    <ActionButton
      label={uploadText('undo', { when: timeText(entry.recorded) })}
      isQuiet
      act={() => undo(entry)}
    >
      <p>{[changeText(entry), entry.fileName].filter(Boolean).join(' · ')}</p>
      <p>{uploadText('undoHint')}</p>
      <p>
        <strong>{partsText('irreversible')}</strong>
      </p>
    </ActionButton>
  )
  return (
    <div class="history">
      <h3 ref={heading} tabindex={-1}>
        {uploadText('historyTitle')}
      </h3>
      <Loaded call={call}>
        {(entries) => (
          <>
            <DataTable
              isWide
              label={uploadText('historyTable')}
              heads={uploadTextsOf('historyWhen', 'historyWhat', 'historyFile', 'historyWho')}
              rows={entries.map((entry) => [
                timeText(entry.recorded),
                changeText(entry),
                entry.fileName,
                entry.user
              ])}
              none={uploadText('historyNone')}
            />
            {entries.slice(0, 1).map((last) => last.undoable && undoButton(last))}
          </>
        )}
      </Loaded>
      <p role="status">{isUndone && uploadText('undone')}</p>
    </div>
  )
}

function changeText({ undoes, undone, items: { created, changed, withdrawn } }: HistoryEntry): string {
  return [
    uploadText(undoes === null ? 'historyImport' : 'historyUndo'),
    created > 0 && uploadText('itemsCreated', { count: created }),
    changed > 0 && uploadText('itemsChanged', { count: changed }),
    withdrawn > 0 && uploadText('itemsWithdrawn', { count: withdrawn }),
    undone !== null && uploadText('historyUndone')
  ]
    .filter(Boolean)
    .join(' · ')
}
