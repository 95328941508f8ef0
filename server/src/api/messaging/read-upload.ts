import { rm } from 'node:fs/promises'
import type { FastifyRequest } from 'fastify'
import type { Upload } from '../../domains/messaging/attachments/store-upload.ts'
import { receiveFile, tooLarge } from '../../domains/messaging/attachments/store-upload.ts'
import { GatehouseError } from '../../errors.ts'
import { accepted, invalid } from '../../shared/request-errors.ts'

/** Maximum number of fields besides the file. They are ignored. */
const MAX_OTHER_FIELDS = 20
const MAX_FIELD_BYTES = 64 * 1_024
const MAX_FORM_BYTES = MAX_OTHER_FIELDS * MAX_FIELD_BYTES
/** Four times the maximum of file systems. */
const MAX_NAME_BYTES = 1_024

/**
 * Reads a form with one file in the field `file` into a temporary file, without keeping the whole file in memory. Throws a 400, 413, 415
 * or 503, and deletes the temporary file then.
 */
export async function readUpload(request: FastifyRequest, folder: string, maxBytes: number): Promise<Upload> {
  if (!request.isMultipart()) {
    throw new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message: 'The body must be multipart/form-data.' })
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + MAX_FORM_BYTES) accepted(tooLarge(maxBytes))
  let upload: Upload | undefined
  try {
    for await (const part of partsOf(request, maxBytes)) {
      if (part.type !== 'file') continue
      if (part.fieldname !== 'file' || upload) throw invalid({ param: 'file', message: 'must be the only file' })
      const filename = decodeFilename(part.filename)
      const file = accepted(await receiveFile(part.file, folder, maxBytes))
      upload = { file, filename, declaredType: part.mimetype }
    }
    if (!upload) throw invalid({ param: 'file', message: 'is required and must be a file' })
    return upload
  } catch (error) {
    if (upload) await rm(upload.file.path, { force: true })
    throw toGatehouseError(error)
  }
}

// The parser accepts one byte more than the maximum, so that receiveFile reports files that are too large.
const partsOf = (request: FastifyRequest, maxBytes: number) =>
  request.parts({
    limits: {
      fileSize: maxBytes + 1,
      files: 2,
      fields: MAX_OTHER_FIELDS,
      fieldSize: MAX_FIELD_BYTES,
      parts: MAX_OTHER_FIELDS + 2,
    },
  })

/** Decodes the three characters that forms escape in file names (HTML, multipart form data). Throws a 400 if the name is too long. */
function decodeFilename(escaped = ''): string {
  if (Buffer.byteLength(escaped) > MAX_NAME_BYTES) {
    throw invalid({ param: 'file', message: `must have a file name of at most ${MAX_NAME_BYTES} bytes. Rename the file` })
  }
  return escaped.replace(/%(?:22|0D|0A)/g, decodeURIComponent)
}

function toGatehouseError(error: unknown): GatehouseError {
  if (error instanceof GatehouseError) return error
  // Only errors of the disk have a syscall. All other errors come from the parser and are about the form.
  if ((error as NodeJS.ErrnoException).syscall) return new GatehouseError('UNAVAILABLE', {}, error)
  return invalid({ param: '', message: 'must be a complete multipart form with a boundary' })
}
