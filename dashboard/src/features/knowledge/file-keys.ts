/** Browsers and the drop zone set the path within the chosen folder. */
interface FileInFolder extends File {
  readonly relativePath?: string
  readonly path?: string
}

/**
 * Document keys of files, without hidden files: the path from the chosen folder, with its name, so that `README.md` of two folders are
 * two documents. `gatehouse ingest FOLDER --prefix NAME` gives the same keys.
 */
export function withKeys(files: readonly File[]): readonly { readonly file: File; readonly key: string }[] {
  return files
    .map((file) => ({ file, parts: pathOf(file).split('/').filter(Boolean) }))
    .filter(({ parts }) => !(parts.length > 1 ? parts.slice(1) : parts).some((part) => part.startsWith('.')))
    .map(({ file, parts }) => ({ file, key: parts.join('/') }))
}

function pathOf(file: FileInFolder): string {
  const path = file.webkitRelativePath || file.relativePath || file.path || file.name
  return path.replace(/^\.?\//, '')
}
