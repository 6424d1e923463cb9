import { useState } from 'preact/hooks'
import { errorText } from '../parts/errors.js'
import { uploadText } from './upload-texts.js'

type Message = Parameters<typeof uploadText>

/**
 * The text about the last download, and a function that downloads a file: a plain link would not
 * send the token. Without a file it shows a message.
 */
export function useDownload(): [
  text: string,
  download: (name: string, fetchFile: () => Promise<Blob | undefined>, none?: Message) => Promise<void>
] {
  const [message, setMessage] = useState<Message>()
  return [
    message ? uploadText(...message) : '',
    async (name, fetchFile, none) => {
      setMessage(['downloading'])
      try {
        const file = await fetchFile()
        if (file) save(file, name)
        setMessage(file ? ['downloaded', { name }] : none)
      } catch (error) {
        setMessage(['downloadFailed', { why: errorText(error) }])
      }
    }
  ]
}

/** Saves a file through the browser. */
function save(bytes: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  // The browser reads the blob asynchronously.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** The name of a workbook file, without characters that file systems forbid. */
export const workbookName = (name: string, ending = ''): string => {
  const safe = name
    .replace(/\.xls[xm]$/i, '')
    .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .trim()
  return `${safe || uploadText('templateName')}${ending}.xlsx`
}
