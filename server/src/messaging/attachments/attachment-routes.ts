import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { GatehouseError } from '../../errors.ts'
import { membersOfConversation } from '../conversations/members.ts'
import { forgetAnswersAbout } from '../door/idempotency.ts'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { ListOf, listView, PAGE, pageQuery } from '../door/pages.ts'
import { forbidden, notFound } from '../door/refusals.ts'
import { readRoute, writeRoute } from '../door/route.ts'
import { emit } from '../events/outbox.ts'
import { lockMessageFor, tellOfUpdate } from '../messages/message-store.ts'
import { AttachmentView, attachmentEvent, attachmentView } from './attachment.ts'
import { countUnsent, deleteAttachment, findAttachmentFor, insertAttachment, listAttachments } from './attachment-store.ts'
import { savedAs } from './filename.ts'
import { keepUpload } from './keep-upload.ts'
import { abandonPlace, takePlace } from './removed-files.ts'
import { readUpload } from './upload.ts'

/** Uploads of one user that may wait to be sent. */
const MAX_UNSENT = 100
const UNKNOWN = { 404: 'NOT_FOUND: no such attachment, or the caller may not see it' }
const WHAT = 'attachment'

/** Files: uploaded first, then sent with a message, and from then on for those who may read it. */
export function attachmentRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  // The parser of forms with files is for this one route.
  void app.register(async (scope) => {
    await scope.register(multipart)
    uploadRoute(scope, deps)
  })

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/attachments',
    docs: {
      operationId: 'listAttachments',
      summary: "The caller's own uploads, newest first",
      query: PAGE,
      answers: { 200: ListOf(AttachmentView) },
    },
    handle: async ({ member, query, base }, { db }) =>
      listView(await listAttachments(db, member, pageQuery(query)), (attachment) => attachmentView(attachment, base)),
  })

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/attachments/:id',
    docs: {
      operationId: 'getAttachment',
      summary: 'What one file is',
      answers: { 200: AttachmentView },
      errors: UNKNOWN,
    },
    handle: async ({ member, params, base }, { db }) => {
      const attachment = await findAttachmentFor(db, member, params.id ?? '')
      if (!attachment) throw notFound(WHAT)
      return attachmentView(attachment, base)
    },
  })

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/attachments/:id/content',
    docs: {
      operationId: 'downloadAttachment',
      summary: 'The bytes of a file',
      description: 'To be saved: browsers neither show nor run it.',
      answers: { 200: Type.String({ format: 'binary', description: 'The file, with its own content type.' }) },
      errors: UNKNOWN,
    },
    handle: async ({ member, params, request }, { db, files }, reply) => {
      const attachment = await findAttachmentFor(db, member, params.id ?? '')
      if (!attachment) throw notFound(WHAT)
      // Of an empty stream the header below stays as it is.
      const body = request.method === 'HEAD' ? Readable.from([]) : await files.open(attachment.place).catch(away)
      return reply
        .headers({
          'content-disposition': savedAs(attachment.filename),
          'content-length': attachment.bytes,
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'same-origin',
        })
        .type(attachment.mediaType)
        .send(body)
    },
  })

  writeRoute(app, deps, {
    method: 'DELETE',
    path: '/v1/attachments/:id',
    docs: {
      operationId: 'deleteAttachment',
      summary: 'Delete a file for good; a message that carries it stays without it',
      answers: { 204: null },
      errors: {
        ...UNKNOWN,
        403: 'FORBIDDEN: only the sender of its message deletes it',
        409: 'CONFLICT: the message that it goes with waits for a reviewer',
      },
    },
    write: async (tx, { member, params, now }) => {
      const attachment = await findAttachmentFor(tx, member, params.id ?? '')
      if (!attachment) throw notFound(WHAT)
      const { workspaceId } = member
      const message = attachment.messageId === null ? undefined : await lockMessageFor(tx, member, attachment.messageId)
      if (message && message.senderId !== member.user.id) throw forbidden('Only the sender of its message deletes a file.')
      const done = await deleteAttachment(tx, member, attachment, now)
      if (done === 'gone') throw notFound(WHAT)
      if (done === 'deleted') await forgetAnswersAbout(tx, workspaceId, [attachment.id])
      if (done === 'held') throw new GatehouseError('CONFLICT', { message: 'A message with this file waits for a reviewer.' })
      if (message) await tellOfUpdate(tx, message, now)
      const audience = message ? await membersOfConversation(tx, workspaceId, message.conversationId) : [member.user.id]
      await emit(tx, { workspaceId, type: 'attachment.deleted', audience, payload: attachmentEvent(attachment) })
      return { status: 204, body: undefined }
    },
  })
}

function uploadRoute(app: FastifyInstance, deps: MessagingDeps): void {
  writeRoute(app, deps, {
    method: 'POST',
    path: '/v1/attachments',
    docs: {
      operationId: 'uploadAttachment',
      summary: 'Upload a file, to be sent with a message',
      description: 'What it is is read from its bytes.',
      form: Type.Object({ file: Type.String({ format: 'binary' }) }),
      answers: { 201: AttachmentView },
      errors: {
        409: `CONFLICT: ${MAX_UNSENT} uploads wait to be sent`,
        413: 'PAYLOAD_TOO_LARGE',
        415: 'UNSUPPORTED_MEDIA_TYPE: no multipart form, or a kind of file that may not be uploaded',
      },
    },
    prepare: async ({ member, request, now }, deps) => {
      if ((await countUnsent(deps.db, member, MAX_UNSENT)) === MAX_UNSENT) {
        throw new GatehouseError('CONFLICT', { message: `${MAX_UNSENT} uploads wait to be sent: send or delete some first.` })
      }
      const upload = await readUpload(request, deps.files.incoming, deps.fileLimits.maxBytes)
      return keepUpload(deps, member, upload, now)
    },
    fingerprint: ({ filename, sha256 }) => ({ filename, sha256: sha256.toString('hex') }),
    write: async (tx, { member, base, now }, attachment) => {
      if (!(await takePlace(tx, attachment.place, now))) throw new GatehouseError('UNAVAILABLE')
      await insertAttachment(tx, member, attachment)
      const event = { type: 'attachment.created', audience: [member.user.id], payload: attachmentEvent(attachment) } as const
      await emit(tx, { workspaceId: member.workspaceId, ...event })
      return { status: 201, body: attachmentView(attachment, base) }
    },
    discard: ({ place }, { db, files }) => abandonPlace(db, files, place),
  })
}

/** Its row says that it is there: it will be once the disk or the bucket is. */
function away(cause: unknown): never {
  throw new GatehouseError('UNAVAILABLE', {}, cause)
}
