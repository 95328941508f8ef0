import { rm } from 'node:fs/promises'
import type { Db } from '../../db/database.ts'
import { GatehouseError } from '../../errors.ts'
import { newId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import type { Attachment } from './attachment.ts'
import type { FileStore } from './file-store.ts'
import { mayComeIn, mediaTypeOf } from './file-type.ts'
import { cleanFilename } from './filename.ts'
import { newPlace } from './removed-files.ts'
import type { Upload } from './upload.ts'

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
export async function keepUpload(
  { db, files, fileLimits }: Deps,
  { user }: Member,
  { file, filename, declaredType }: Upload,
  now: Date,
): Promise<Attachment> {
  try {
    const mediaType = await mediaTypeOf(file.head, declaredType)
    if (!mayComeIn(mediaType, fileLimits.types)) {
      const message = `file: ${mediaType} must not be uploaded here.`
      throw new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message, param: 'file' })
    }
    const place = await newPlace(db, now)
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
