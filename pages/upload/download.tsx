import { ActionButton } from '../parts/actions.js'
import { saveFile } from '../parts/save-file.js'
import { uploadText } from './upload-texts.js'

/** A button that downloads a workbook: a plain link would not send the token. */
export const DownloadButton = ({
  label,
  name,
  fetchFile
}: {
  label: string
  /** The name of the workbook. Its file name is without characters that file systems forbid. */
  name: string
  /** Without a file nothing is saved. */
  fetchFile: () => Promise<Blob | undefined>
}) => (
  <ActionButton
    label={label}
    isQuiet
    act={async () => {
      const file = await fetchFile()
      if (file)
        saveFile(
          file,
          `${name.replace(/[^\p{L}\p{N} ._-]+/gu, ' ').trim() || uploadText('templateName')}.xlsx`
        )
    }}
  />
)
