import { ActionButton } from './actions.js'

interface DownloadButtonProps {
  label: string
  /** The name of the file. The browser replaces characters that file systems forbid. */
  name: string
  /** Fetches the file. A plain link would not send the token. Undefined saves nothing. */
  fetchFile(): Promise<Blob | undefined>
}

/** A button that downloads a file. */
export const DownloadButton = ({ label, name, fetchFile }: DownloadButtonProps) => (
  <ActionButton
    label={label}
    isQuiet
    act={async () => {
      const file = await fetchFile()
      if (file) saveFile(file, name)
    }}
  />
)

function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The browser reads the blob asynchronously.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
