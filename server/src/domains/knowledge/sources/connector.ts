import { MAX_FILE_BYTES } from '../document-fetcher.ts'

/** A file of a source. */
export interface SourceFile {
  /** Below the folder of the source, with forward slashes. */
  readonly path: string
  /** Equal versions have equal content. */
  readonly version: string
}

export interface Listing {
  /** All files of the source that are read. */
  readonly files: readonly SourceFile[]
  /** `list` gets it in the next run. null: the connector has no use for it. */
  readonly cursor: string | null
  /** The content of a file, or the reason why only this file cannot be read. Throws a FetchError if the source cannot be read. */
  readonly read: (file: SourceFile) => Promise<Uint8Array | FileProblem>
}

export interface FileProblem {
  readonly code: string
  readonly message: string
}

export const TOO_LARGE = {
  code: 'too_large',
  message: `The file is larger than ${MAX_FILE_BYTES >> 20} MB. Split it into several files.`,
} as const

/**
 * Reads one kind of source. The interface is all that a synchronisation knows of it: which files changed is decided by their versions, and
 * documents are stored, deleted and recorded in one place (synchronise.ts).
 */
export interface Connector {
  /** Lists all files; undefined: nothing has changed since the run that returned `cursor`. Throws a FetchError. */
  list(cursor: string | null): Promise<Listing | undefined>
  /** Ends what the run opened. */
  close(): Promise<void>
}

/** Most files of a source. Their paths and versions are in memory during a run. */
export const MOST_FILES = 50_000
export const TOO_MANY_FILES = `The source has more than ${MOST_FILES} files. Choose a folder, or several sources.`
