/** Where browsers and the drop zone keep the path of a file within the folder that was chosen or dropped. */
interface FileInFolder extends File {
  readonly relativePath?: string
  readonly path?: string
}

export interface KeyedFile {
  readonly file: File
  readonly key: string
}

/**
 * The keys of chosen or dropped files, as `gatehouse ingest FOLDER` makes them: the path below the folder. Hidden files and folders
 * are left out. Several folders at once keep their own names, so that equal paths in them stay apart.
 */
export function keyed(files: readonly File[]): readonly KeyedFile[] {
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
