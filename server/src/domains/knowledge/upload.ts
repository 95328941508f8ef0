import type { DocumentFile } from './read-document.ts'
import type { LabelPatch } from './relabel.ts'

/** How a file becomes a document: all but its content. */
export interface UploadRequest extends LabelPatch, Omit<DocumentFile, 'bytes'> {
  /** The file is fetched from here when the upload is processed. */
  readonly url?: string | undefined
}

/** The file of a key, before it is queued. */
export interface IncomingUpload extends UploadRequest {
  /** Path or URL, unique within the collection. */
  readonly key: string
  /** Undefined: the file is fetched from `url`. */
  readonly bytes?: Uint8Array | undefined
}

/** A queued upload that this node works on. Ids are TypeIDs, except the upload's own, which clients do not see. */
export interface Upload {
  readonly uuid: string
  readonly workspaceId: string
  readonly documentId: string
  readonly operatorId: string
  readonly request: UploadRequest
  /** How often a node began to read the file, this time included. */
  readonly attempts: number
}
