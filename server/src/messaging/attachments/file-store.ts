import type { Readable } from 'node:stream'

/** A file that has arrived whole and lies on this machine until it is kept. */
export interface ReceivedFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: Buffer
  /** What it begins with: all of it, when it is short. */
  readonly head: Buffer
}

/** Keeps the bytes of attachments; what they are and who may see them is in the database. */
export interface FileStore {
  /** Folder of this machine for uploads that are just coming in. */
  readonly incoming: string
  /** Keeps a file durably under `place`; it may take what lies at `received.path` away. */
  keep(place: string, received: ReceivedFile): Promise<void>
  /** Throws when it is not there. */
  open(place: string): Promise<Readable>
  /** What is not there is removed already. */
  remove(place: string): Promise<void>
  close(): Promise<void>
}
