import { useEffect, useRef, useState } from 'preact/hooks'
import { metaContent } from '../parts/calls.js'
import { useDraft } from '../parts/drafts.js'
import { StatusText } from '../parts/errors.js'
import type { Workbook } from './requests.js'
import { uploadText } from './upload-texts.js'

/** Maximum size of a file on the server, in bytes. */
const MAX_BYTES = Number(metaContent('upload-limit'))
type FileError = Parameters<typeof uploadText>
const kilobytes = (bytes: number) => Math.ceil(bytes / 1000)

/** The workbook that an owner chose, also before the server has named the owner. */
export function useWorkbook(owner: string | null) {
  const [chosen, setChosen] = useDraft<{ workbook: Workbook; owner: string | null }>('upload workbook')
  const isOwned = chosen?.owner === owner
  const isUnowned = chosen?.owner === null
  useEffect(() => {
    if (chosen && isUnowned && !isOwned) setChosen({ ...chosen, owner })
  }, [chosen, owner])
  const choose = (workbook: Workbook | undefined) => setChosen(workbook && { workbook, owner })
  return [isOwned || isUnowned ? chosen?.workbook : undefined, choose] as const
}

/**
 * Lets the user choose a file, or drop one anywhere on the page.
 * @param onChoose is called with a snapshot of the file, or undefined while the file is read and if
 * it is rejected.
 */
export function FileSection({
  workbook,
  isLocked,
  onChoose
}: {
  workbook: Workbook | undefined
  isLocked: boolean
  onChoose(workbook: Workbook | undefined): void
}) {
  const input = useRef<HTMLInputElement>(null)
  const last = useRef<readonly File[]>([])
  const [error, setError] = useState<FileError>()
  const chosen = workbook && { name: workbook.name, size: kilobytes(workbook.bytes.size) }
  const state = chosen ? uploadText('fileChosen', chosen) : uploadText('fileNone')

  async function select(files: readonly File[]) {
    if (files.length === 0 || isLocked) return
    last.current = files
    // No step may run with the previous workbook while the next workbook is read.
    setError(undefined)
    onChoose(undefined)
    const read = await readFile(files)
    if (last.current !== files) return
    if (Array.isArray(read)) setError(read)
    else onChoose(read)
  }
  const isOver = useDropping(select)
  const change = () => {
    const files = [...(input.current?.files ?? [])]
    // Allows choosing the same file again after it is corrected.
    if (input.current) input.current.value = ''
    return select(files)
  }
  return (
    <section class="card step" aria-labelledby="file-title">
      <h2 id="file-title">{uploadText('fileTitle')}</h2>
      <input
        {...{ ref: input, id: 'file', type: 'file', hidden: true, onChange: change }}
        accept=".xlsx,.xlsm,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
      />
      <button
        type="button"
        id="drop"
        class={isOver ? 'quiet over' : 'quiet'}
        aria-disabled={isLocked}
        aria-describedby="file-state"
        onClick={() => !isLocked && input.current?.click()}
      >
        <strong>{uploadText('fileChoose')}</strong> <small>{uploadText('fileDrop')}</small>
      </button>
      <StatusText id="file-state" text={error ? `✗ ${uploadText(...error)}` : state} />
    </section>
  )
}

/**
 * Takes a snapshot of a file, so that the import sends the checked content even if the file changes
 * on disk.
 */
async function readFile(files: readonly File[]): Promise<Workbook | FileError> {
  const [file] = files
  if (!file || files.length > 1) return ['fileSeveral']
  const { name, size, type } = file
  if (size > MAX_BYTES) return ['fileTooLarge', { name, size: kilobytes(size), limit: kilobytes(MAX_BYTES) }]
  const content = await file.arrayBuffer().catch(() => undefined)
  if (!content) return ['fileUnreadable', { name }]
  if (content.byteLength === 0) return ['fileEmpty', { name }]
  return { name, bytes: new Blob([content], { type }) }
}

/**
 * Accepts files that are dropped on the page: otherwise the browser would open them and leave it.
 * Returns whether a dragged file is over the page.
 */
function useDropping(select: (files: File[]) => unknown): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const stop = new AbortController()
    const on = (type: 'dragover' | 'dragleave' | 'drop', listener: (event: DragEvent) => void) =>
      document.addEventListener(type, listener, { signal: stop.signal })
    on('dragover', (event) => {
      event.preventDefault()
      setOver(true)
    })
    on('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false))
    on('drop', (event) => {
      event.preventDefault()
      setOver(false)
      select([...(event.dataTransfer?.files ?? [])])
    })
    return () => stop.abort()
  })
  return isOver
}
