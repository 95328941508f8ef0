import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AttachmentView, attachmentEvent, attachmentView } from '../../domains/messaging/attachments/attachment.ts'
import {
  countUnsentUploads,
  deleteAttachment,
  findAttachment,
  insertAttachment,
  listAttachments,
} from '../../domains/messaging/attachments/attachment-store.ts'
import { claimFileKey, discardFile } from '../../domains/messaging/attachments/file-removal.ts'
import { contentDisposition } from '../../domains/messaging/attachments/filename.ts'
import { receiveFile, storeUpload, tooLarge, type Upload } from '../../domains/messaging/attachments/store-upload.ts'
import { findMemberIds } from '../../domains/messaging/conversations/conversation-store.ts'
import { emit } from '../../domains/messaging/events/event.ts'
import { eraseResponsesAbout } from '../../domains/messaging/idempotency/erase-responses.ts'
import { emitMessageUpdated, lockMessage } from '../../domains/messaging/messages/message-store.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import type { Member } from '../../domains/messaging/people/member.ts'
import { GatehouseError } from '../../errors.ts'
import type { Tx } from '../../platform/db/database.ts'
import { Unavailable } from '../../platform/lib/unavailable.ts'
import { Refusal, refuseForbidden, refuseUnknown } from '../../shared/refusal.ts'
import { accepted, invalid, requireFound } from '../../shared/request-errors.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { operation } from './operation.ts'
import { handlePrepared, handleWrite } from './write.ts'

const MAX_UNSENT = 100
const UNKNOWN = { 404: 'NOT_FOUND: the attachment does not exist, or the caller cannot see it' }

const docs = {
  listAttachments: operation('GET /v1/attachments', 'listAttachments', {
    summary: "List the caller's uploads, newest first",
    query: ID_PAGE,
    answers: { 200: IdList(AttachmentView) },
  }),
  getAttachment: operation('GET /v1/attachments/:id', 'getAttachment', {
    summary: 'Get the metadata of a file',
    answers: { 200: AttachmentView },
    errors: UNKNOWN,
  }),
  downloadAttachment: operation('GET /v1/attachments/:id/content', 'downloadAttachment', {
    summary: 'Download a file',
    description: 'Sent as a download: browsers neither display nor run it.',
    answers: { 200: Type.String({ format: 'binary', description: 'The file, with its own content type.' }) },
    errors: UNKNOWN,
  }),
  uploadAttachment: operation('POST /v1/attachments', 'uploadAttachment', {
    summary: 'Upload a file to send with a message',
    description: 'The media type is detected from the content.',
    form: Type.Object({ file: Type.String({ format: 'binary' }) }),
    answers: { 201: AttachmentView },
    errors: {
      409: `CONFLICT: ${MAX_UNSENT} uploads are not sent yet`,
      413: 'PAYLOAD_TOO_LARGE',
      415: 'UNSUPPORTED_MEDIA_TYPE: not a multipart form, or a file type that is not allowed',
    },
  }),
  deleteAttachment: operation('DELETE /v1/attachments/:id', 'deleteAttachment', {
    summary: 'Delete a file permanently; its message stays',
    answers: { 204: null },
    errors: {
      ...UNKNOWN,
      403: 'FORBIDDEN: only the sender of the message can delete its files',
      409: 'CONFLICT: the message of the file is waiting for a reviewer',
    },
  }),
}

/** A file is uploaded first and then sent with a message. Members who can read the message can download it. */
export function attachmentRoutes(app: TypedApp, deps: MessagingDeps): void {
  const { db, files } = deps

  handle(app, docs.listAttachments, async ({ member, query, base }) => {
    const page = idPageOf(query)
    return idListOf(await listAttachments(db, member, page), page, (attachment) => attachmentView(attachment, base))
  })

  handle(app, docs.getAttachment, async ({ member, params, base }) =>
    attachmentView(requireFound(await findAttachment(db, member, params.id), 'attachment'), base),
  )

  handle(app, docs.downloadAttachment, async ({ member, params, method }, reply) => {
    const attachment = requireFound(await findAttachment(db, member, params.id), 'attachment')
    // With an empty stream, the content-length header below is kept.
    const body = method === 'HEAD' ? Readable.from([]) : await files.open(attachment.place).catch(unavailable)
    return reply
      .headers({
        'content-disposition': contentDisposition(attachment.filename),
        'content-length': attachment.bytes,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      })
      .type(attachment.mediaType)
      .send(body)
  })

  // Only this route reads multipart forms.
  app.register(async (scope: TypedApp) => {
    await scope.register(multipart)
    uploadRoute(scope, deps)
  })

  handleWrite(app, deps, docs.deleteAttachment, (tx, { member, params, now }) => removeAttachment(tx, member, params.id, now))
}

/** The database has the file's row, so reading the file failed because the disk or bucket is not available. */
function unavailable(cause: unknown): never {
  throw new Unavailable('', { cause })
}

function uploadRoute(app: TypedApp, deps: MessagingDeps): void {
  const { db, files, fileLimits } = deps
  handlePrepared(app, deps, docs.uploadAttachment, {
    prepare: async (request) => {
      const { member, now } = request
      if ((await countUnsentUploads(db, member, MAX_UNSENT)) === MAX_UNSENT)
        return new Refusal('CONFLICT', { message: `${MAX_UNSENT} uploads are not sent yet. Send or delete some first.` })
      return storeUpload(deps, member, await readUpload(request, files.incoming, fileLimits.maxBytes), now)
    },
    fingerprint: ({ filename, sha256 }) => ({ filename, sha256: sha256.toString('hex') }),
    write: async (tx, { member, base, now }, attachment) => {
      if (!(await claimFileKey(tx, attachment.place, now))) throw new Unavailable()
      await insertAttachment(tx, attachment)
      const event = { type: 'attachment.created', audience: [member.user.id], payload: attachmentEvent(attachment) } as const
      await emit(tx, { workspaceId: member.workspaceId, ...event })
      return { status: 201, body: attachmentView(attachment, base) }
    },
    discard: ({ place }) => discardFile(db, files, place),
  })
}

async function removeAttachment(tx: Tx, member: Member, id: string, now: Date) {
  const { workspaceId, user } = member
  const attachment = requireFound(await findAttachment(tx, member, id), 'attachment')
  const message = attachment.messageId === null ? undefined : await lockMessage(tx, member, attachment.messageId)
  if (message && message.senderId !== user.id) return refuseForbidden('Only the sender of the message can delete its files.')
  const result = await deleteAttachment(tx, member, attachment, now)
  if (result === 'not_found') return refuseUnknown('attachment')
  if (result === 'held') {
    const message = 'A message with this file is waiting for a reviewer. Delete the file after the decision.'
    return new Refusal('CONFLICT', { message })
  }
  await eraseResponsesAbout(tx, workspaceId, [attachment.id])
  if (message) await emitMessageUpdated(tx, message, now)
  const audience = message ? await findMemberIds(tx, workspaceId, message.conversationId) : [user.id]
  await emit(tx, { workspaceId, type: 'attachment.deleted', audience, payload: attachmentEvent(attachment) })
  return { status: 204 as const }
}

/** They are ignored. */
const MAX_OTHER_FIELDS = 20
const MAX_FIELD_BYTES = 64 * 1_024
const MAX_FORM_BYTES = MAX_OTHER_FIELDS * MAX_FIELD_BYTES
/** Four times the maximum of file systems. */
const MAX_NAME_BYTES = 1_024

/** Throws a 400, 413, 415 or 503, and deletes the temporary file then. */
async function readUpload(request: FastifyRequest, folder: string, maxBytes: number): Promise<Upload> {
  if (!request.isMultipart())
    throw new GatehouseError('UNSUPPORTED_MEDIA_TYPE', { message: 'The body must be multipart/form-data.' })
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
  if (Buffer.byteLength(escaped) > MAX_NAME_BYTES)
    throw invalid({ param: 'file', message: `must have a file name of at most ${MAX_NAME_BYTES} bytes. Rename the file` })
  return escaped.replace(/%(?:22|0D|0A)/g, decodeURIComponent)
}

function toGatehouseError(error: unknown): GatehouseError {
  if (error instanceof GatehouseError) return error
  // Only errors of the disk have a syscall. All other errors come from the parser and are about the form.
  if ((error as NodeJS.ErrnoException).syscall) return new GatehouseError('UNAVAILABLE', {}, error)
  return invalid({ param: '', message: 'must be a complete multipart form with a boundary' })
}
