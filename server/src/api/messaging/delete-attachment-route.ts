import { attachmentEvent } from '../../domains/messaging/attachments/attachment.ts'
import { deleteAttachment, findAttachment } from '../../domains/messaging/attachments/attachment-store.ts'
import { findMemberIds } from '../../domains/messaging/conversations/conversation-members.ts'
import { emit } from '../../domains/messaging/events/outbox.ts'
import { eraseResponsesAbout } from '../../domains/messaging/idempotency/erase-responses.ts'
import { emitMessageUpdated, lockMessage } from '../../domains/messaging/messages/message-store.ts'
import { GatehouseError } from '../../errors.ts'
import { forbidden, notFound, requireFound } from '../../shared/refusals.ts'
import { writeRoute } from './route.ts'

/** Deletes a file. If a message has the file, the message changes too. */
export const deleteAttachmentRoute = writeRoute({
  target: 'DELETE /v1/attachments/:id',
  docs: {
    operationId: 'deleteAttachment',
    summary: 'Delete a file permanently; its message stays',
    answers: { 204: null },
    errors: {
      404: 'NOT_FOUND: the attachment does not exist, or the caller cannot see it',
      403: 'FORBIDDEN: only the sender of the message can delete its files',
      409: 'CONFLICT: the message of the file is waiting for a reviewer',
    },
  },
  write: async (tx, { member, params, now }) => {
    const attachment = requireFound(await findAttachment(tx, member, params.id ?? ''), 'attachment')
    const { workspaceId } = member
    const message = attachment.messageId === null ? undefined : await lockMessage(tx, member, attachment.messageId)
    if (message && message.senderId !== member.user.id) throw forbidden('Only the sender of the message can delete its files.')
    const result = await deleteAttachment(tx, member, attachment, now)
    if (result === 'not_found') throw notFound('attachment')
    if (result === 'held') {
      const message = 'A message with this file is waiting for a reviewer. Delete the file after the decision.'
      throw new GatehouseError('CONFLICT', { message })
    }
    await eraseResponsesAbout(tx, workspaceId, [attachment.id])
    if (message) await emitMessageUpdated(tx, message, now)
    const audience = message ? await findMemberIds(tx, workspaceId, message.conversationId) : [member.user.id]
    await emit(tx, { workspaceId, type: 'attachment.deleted', audience, payload: attachmentEvent(attachment) })
    return { status: 204, body: undefined }
  },
})
