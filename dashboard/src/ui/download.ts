/** The download has started by then. */
const STARTED_MS = 60_000

/** Saves a file in the browser. */
export function downloadFile(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click()
  setTimeout(() => URL.revokeObjectURL(url), STARTED_MS)
}
