import type { Readable } from 'node:stream'

/** A complete upload in a temporary file. */
export interface ReceivedFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: Buffer
  /** The first HEAD_BYTES bytes (file-type.ts), or all of them. */
  readonly head: Buffer
}

/** Stores the bytes of attachments. Their metadata is in the database. */
export interface FileStore {
  /** Local folder for temporary files of uploads. */
  readonly incoming: string
  /** Stores a file durably. It may move the temporary file. */
  store(key: string, received: ReceivedFile): Promise<void>
  /** Throws if there is no file with this key. */
  open(key: string): Promise<Readable>
  /** Does nothing if there is no file with this key. */
  remove(key: string): Promise<void>
  close(): Promise<void>
}
