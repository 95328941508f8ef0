/** Browsers and the drop zone set the path within the chosen folder. */
interface FileInFolder extends File {
  readonly relativePath?: string
  readonly path?: string
}

/**
 * Document keys of files, as `gatehouse ingest FOLDER` sets them: the path below the folder, without hidden files. With several
 * folders, keys include the folder names, so that they stay unique.
 */
export function withKeys(files: readonly File[]): readonly { readonly file: File; readonly key: string }[] {
  const all = files.map((file) => ({ file, parts: pathOf(file).split('/').filter(Boolean) }))
  const roots = new Set(all.map(({ parts: [root, ...below] }) => (below.length > 0 ? root : undefined)))
  const isOneFolder = roots.size === 1 && !roots.has(undefined)
  return all
    .map(({ file, parts }) => ({ file, below: isOneFolder ? parts.slice(1) : parts }))
    .filter(({ below }) => !below.some((part) => part.startsWith('.')))
    .map(({ file, below }) => ({ file, key: below.join('/') }))
}

function pathOf(file: FileInFolder): string {
  const path = file.webkitRelativePath || file.relativePath || file.path || file.name
  return path.replace(/^\.?\//, '')
}
