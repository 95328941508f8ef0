import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import { Type } from 'typebox'
import { AttachmentView, attachmentEvent, attachmentView } from '../../domains/messaging/attachments/attachment.ts'
import {
  countUnsentUploads,
  findAttachment,
  insertAttachment,
  listAttachments,
} from '../../domains/messaging/attachments/attachment-store.ts'
import { claimFileKey, discardFile } from '../../domains/messaging/attachments/file-removal.ts'
import { contentDisposition } from '../../domains/messaging/attachments/filename.ts'
import { storeUpload } from '../../domains/messaging/attachments/store-upload.ts'
import { emit } from '../../domains/messaging/events/outbox.ts'
import { GatehouseError } from '../../errors.ts'
import { requireFound } from '../../shared/refusals.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { readUpload } from './read-upload.ts'
import { type Route, readRoute, writeRoute } from './route.ts'

/** Maximum number of unsent uploads of one user. */
const MAX_UNSENT = 100
const UNKNOWN = { 404: 'NOT_FOUND: the attachment does not exist, or the caller cannot see it' }

const listAttachmentsRoute = readRoute({
  target: 'GET /v1/attachments',
  docs: {
    operationId: 'listAttachments',
    summary: "List the caller's uploads, newest first",
    query: ID_PAGE,
    answers: { 200: IdList(AttachmentView) },
  },
  handle: async ({ member, query, base }, { db }) => {
    const page = idPageOf(query)
    return idListOf(await listAttachments(db, member, page), page, (attachment) => attachmentView(attachment, base))
  },
})

const getAttachmentRoute = readRoute({
  target: 'GET /v1/attachments/:id',
  docs: {
    operationId: 'getAttachment',
    summary: 'Get the metadata of a file',
    answers: { 200: AttachmentView },
    errors: UNKNOWN,
  },
  handle: async ({ member, params, base }, { db }) => {
    const attachment = requireFound(await findAttachment(db, member, params.id ?? ''), 'attachment')
    return attachmentView(attachment, base)
  },
})

const downloadAttachmentRoute = readRoute({
  target: 'GET /v1/attachments/:id/content',
  docs: {
    operationId: 'downloadAttachment',
    summary: 'Download a file',
    description: 'Sent as a download: browsers neither display nor run it.',
    answers: { 200: Type.String({ format: 'binary', description: 'The file, with its own content type.' }) },
    errors: UNKNOWN,
  },
  handle: async ({ member, params, http }, { db, files }, reply) => {
    const attachment = requireFound(await findAttachment(db, member, params.id ?? ''), 'attachment')
    // With an empty stream, the content-length header below is kept.
    const body = http.method === 'HEAD' ? Readable.from([]) : await files.open(attachment.fileKey).catch(unavailable)
    return reply
      .headers({
        'content-disposition': contentDisposition(attachment.filename),
        'content-length': attachment.bytes,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      })
      .type(attachment.mediaType)
      .send(body)
  },
})

const uploadAttachmentRoute = writeRoute({
  target: 'POST /v1/attachments',
  docs: {
    operationId: 'uploadAttachment',
    summary: 'Upload a file to send with a message',
    description: 'The media type is detected from the content.',
    form: Type.Object({ file: Type.String({ format: 'binary' }) }),
    answers: { 201: AttachmentView },
    errors: {
      409: `CONFLICT: ${MAX_UNSENT} uploads are not sent yet`,
      413: 'PAYLOAD_TOO_LARGE',
      415: 'UNSUPPORTED_MEDIA_TYPE: not a multipart form, or a file type that is not allowed',
    },
  },
  prepare: async ({ member, http, now }, deps) => {
    if ((await countUnsentUploads(deps.db, member, MAX_UNSENT)) === MAX_UNSENT) {
      throw new GatehouseError('CONFLICT', { message: `${MAX_UNSENT} uploads are not sent yet. Send or delete some first.` })
    }
    const upload = await readUpload(http, deps.files.incoming, deps.fileLimits.maxBytes)
    return storeUpload(deps, member, upload, now)
  },
  fingerprint: ({ filename, sha256 }) => ({ filename, sha256: sha256.toString('hex') }),
  write: async (tx, { member, base, now }, attachment) => {
    if (!(await claimFileKey(tx, attachment.fileKey, now))) throw new GatehouseError('UNAVAILABLE')
    await insertAttachment(tx, member, attachment)
    const event = { type: 'attachment.created', audience: [member.user.id], payload: attachmentEvent(attachment) } as const
    await emit(tx, { workspaceId: member.workspaceId, ...event })
    return { status: 201, body: attachmentView(attachment, base) }
  },
  discard: ({ fileKey }, { db, files }) => discardFile(db, files, fileKey),
})

/** Only this route reads multipart forms. */
const uploadRoute: Route = (app, deps) =>
  void app.register(async (scope) => {
    await scope.register(multipart)
    uploadAttachmentRoute(scope, deps)
  })

/** Routes of uploads. A file is uploaded first and then sent with a message. Members who can read the message can download it. */
export const attachmentRoutes: readonly Route[] = [uploadRoute, listAttachmentsRoute, getAttachmentRoute, downloadAttachmentRoute]

/** The database has the file's row, so reading the file failed because the disk or bucket is not available. */
function unavailable(cause: unknown): never {
  throw new GatehouseError('UNAVAILABLE', {}, cause)
}
