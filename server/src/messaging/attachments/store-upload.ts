import { rm } from 'node:fs/promises'
import type { Db } from '../../db/database.ts'
import { GatehouseError } from '../../errors.ts'
import { newId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import type { Attachment } from './attachment.ts'
import { newFileKey } from './file-removal.ts'
import type { FileStore } from './file-store.ts'
import { detectMediaType, isAllowedType } from './file-type.ts'
import { cleanFilename } from './filename.ts'
import type { Upload } from './read-upload.ts'

export interface FileLimits {
  readonly maxBytes: number
  /** Media types that may come in, as `image/*`; undefined: all but programs. */
  readonly types: readonly string[] | undefined
}

interface Deps {
  readonly db: Db
  readonly files: FileStore
  readonly fileLimits: FileLimits
}

/** Keeps the bytes of an upload; nothing points at them yet. Throws a 415 for what may not be uploaded, and a 503. */
export async function storeUpload(
  { db, files, fileLimits }: Deps,
  { user }: Member,
  { file, filename, declaredType }: Upload,
  now: Date,
): Promise<Attachment> {
  try {
    const mediaType = await detectMediaType(file.head, declaredType)
    if (!isAllowedType(mediaType, fileLimits.types)) {
      const message = `file: ${mediaType} must not be uploaded here.`
      throw new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message, param: 'file' })
    }
    const place = await newFileKey(db, now)
    await files.keep(place, file).catch((cause) => {
      throw new GatehouseError('UNAVAILABLE', {}, cause)
    })
    const { bytes, sha256 } = file
    const known = { filename: cleanFilename(filename), mediaType, bytes, sha256, place }
    return { id: newId('att'), messageId: null, uploadedBy: user.id, ...known, createdAt: now }
  } finally {
    await rm(file.path, { force: true })
  }
}
