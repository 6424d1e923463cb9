/** Saves a file through the browser. */
export function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  // The browser reads the blob asynchronously.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
