import { rm } from 'node:fs/promises'
import type { Db } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/lib/id.ts'
import { Unavailable } from '../../../platform/lib/unavailable.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Member } from '../people/member.ts'
import type { Attachment } from './attachment.ts'
import { newFileKey } from './file-removal.ts'
import type { FileStore, ReceivedFile } from './file-store.ts'
import { detectMediaType, isAllowedType } from './file-type.ts'
import { cleanFilename } from './filename.ts'

export interface Upload {
  readonly file: ReceivedFile
  /** The name that the client sent. */
  readonly filename: string
  readonly declaredType: string
}

export interface FileLimits {
  readonly maxBytes: number
  /** Allowed media types or patterns such as `image/*`. undefined: all types except programs. */
  readonly types: readonly string[] | undefined
}

interface Deps {
  readonly db: Db
  readonly files: FileStore
  readonly fileLimits: FileLimits
}

/** Stores the bytes of an upload, without a row, or returns UNSUPPORTED_MEDIA_TYPE. Throws UNAVAILABLE if the file store fails. */
export async function storeUpload(
  { db, files, fileLimits }: Deps,
  { user }: Member,
  { file, filename, declaredType }: Upload,
  now: Date,
): Promise<Attachment | Refusal> {
  try {
    const mediaType = await detectMediaType(file.head, declaredType)
    if (!isAllowedType(mediaType, fileLimits.types)) {
      const message = `file: files of the type ${mediaType} are not allowed.`
      return new Refusal('UNSUPPORTED_MEDIA_TYPE', { message, param: 'file' })
    }
    const fileKey = await newFileKey(db, now)
    await files.store(fileKey, file).catch((cause) => {
      throw new Unavailable('', { cause })
    })
    const { bytes, sha256 } = file
    const content = { filename: cleanFilename(filename), mediaType, bytes, sha256, fileKey }
    return { id: newId('att'), messageId: null, uploadedBy: user.id, ...content, createdAt: now }
  } finally {
    await rm(file.path, { force: true })
  }
}
