import { rm } from 'node:fs/promises'
import type { FastifyRequest } from 'fastify'
import { GatehouseError } from '../../errors.ts'
import { invalid } from '../../http/refusals.ts'
import type { ReceivedFile } from './file-store.ts'
import { receiveFile, tooLarge } from './receive-file.ts'

/** What a form may hold beside its file; nobody reads it. */
const OTHER_FIELDS = 20
const FIELD_BYTES = 64 * 1_024
const FORM_BYTES = OTHER_FIELDS * FIELD_BYTES
/** Four times what file systems keep; a longer name is a mistake or an attack. */
const NAME_BYTES = 1_024

export interface Upload {
  readonly file: ReceivedFile
  /** As the sender calls it. */
  readonly filename: string
  readonly declaredType: string
}

/**
 * Reads a form with one file in the field `file`, while it arrives: at no time is more than a piece of it in memory. Throws a 400,
 * 413 or 415; then nothing is left of it.
 */
export async function readUpload(request: FastifyRequest, folder: string, maxBytes: number): Promise<Upload> {
  if (!request.isMultipart()) {
    throw new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message: 'The body must be multipart/form-data.' })
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_BYTES) throw tooLarge(maxBytes)
  let upload: Upload | undefined
  try {
    for await (const part of partsOf(request, maxBytes)) {
      if (part.type !== 'file') continue
      if (part.fieldname !== 'file' || upload) throw invalid({ param: 'file', message: 'must be the only file' })
      const filename = nameOf(part.filename)
      const file = await receiveFile(part.file, folder, maxBytes)
      upload = { file, filename, declaredType: part.mimetype }
    }
    if (!upload) throw invalid({ param: 'file', message: 'must be given, as a file' })
    return upload
  } catch (error) {
    if (upload) await rm(upload.file.path, { force: true })
    throw refusalOf(error)
  }
}

// One byte more than may come: whether a file is too large is for its receiver to say.
const partsOf = (request: FastifyRequest, maxBytes: number) =>
  request.parts({
    limits: { fileSize: maxBytes + 1, files: 2, fields: OTHER_FIELDS, fieldSize: FIELD_BYTES, parts: OTHER_FIELDS + 2 },
  })

/** As it was before it was put between quotes: forms escape three characters, and nothing else. */
function nameOf(escaped = ''): string {
  if (Buffer.byteLength(escaped) > NAME_BYTES) {
    throw invalid({ param: 'file', message: `must have a file name of at most ${NAME_BYTES} bytes. Rename the file` })
  }
  return escaped.replace(/%(?:22|0D|0A)/g, decodeURIComponent)
}

function refusalOf(error: unknown): unknown {
  if (error instanceof GatehouseError) return error
  // From the disk: the parser's own faults are all about what was sent.
  if ((error as NodeJS.ErrnoException).syscall) return new GatehouseError('UNAVAILABLE', {}, error)
  return invalid({ param: '', message: 'must be a well-formed form, whole and with a boundary' })
}
