import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { findMemberIds } from '../../domains/messaging/conversations/conversation-members.ts'
import { canDelete, findConversation, findCountedConversation } from '../../domains/messaging/conversations/conversation-store.ts'
import { emit } from '../../domains/messaging/events/outbox.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import {
  findRetention,
  RetentionUpdate,
  RetentionView,
  retentionView,
  setRetention,
} from '../../domains/messaging/retention/conversation-retention.ts'
import { exportLines } from '../../domains/messaging/retention/export-conversation.ts'
import { refuseForbidden } from '../../shared/refusal.ts'
import { requireFound } from '../../shared/request-errors.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { operation, UNKNOWN_CONVERSATION } from './operation.ts'
import { handleWrite } from './write.ts'

const docs = {
  getConversationRetention: operation('GET /v1/conversations/:id/retention', 'getConversationRetention', {
    summary: 'Get the retention of a conversation',
    answers: { 200: RetentionView },
    errors: UNKNOWN_CONVERSATION,
  }),
  setConversationRetention: operation('PUT /v1/conversations/:id/retention', 'setConversationRetention', {
    summary: 'Set the number of days after which messages of a conversation are deleted permanently',
    body: RetentionUpdate,
    description: "Cannot exceed the Workspace's retention. Requires permission to delete the conversation.",
    answers: { 200: RetentionView },
    errors: { ...UNKNOWN_CONVERSATION, 403: 'FORBIDDEN: only the owner of the group can change the retention' },
  }),
  exportConversation: operation('GET /v1/conversations/:id/export', 'exportConversation', {
    summary: 'Export a conversation as JSON lines',
    description: 'The conversation, then its messages, oldest first, in the format of the API.',
    answers: { 200: Type.String({ description: 'application/x-ndjson' }) },
    errors: UNKNOWN_CONVERSATION,
  }),
}

export function retentionRoutes(app: TypedApp, deps: MessagingDeps): void {
  const { db } = deps

  handle(app, docs.getConversationRetention, async ({ member, params }) => {
    const { id } = requireFound(await findConversation(db, member, params.id), 'conversation')
    return retentionView(id, await findRetention(db, member.workspaceId, id))
  })

  handleWrite(app, deps, docs.setConversationRetention, async (tx, { member, params, body }) => {
    const { workspaceId } = member
    const conversation = requireFound(await findConversation(tx, member, params.id), 'conversation')
    if (!(await canDelete(tx, member, conversation))) {
      return refuseForbidden('Only the owner of the group can change the retention. Ask the owner.')
    }
    const { id } = conversation
    await setRetention(tx, workspaceId, id, body.days)
    const audience = await findMemberIds(tx, workspaceId, id)
    const payload = { id, object: 'conversation', retention_days: body.days }
    await emit(tx, { workspaceId, type: 'conversation.updated', audience, payload })
    return { status: 200, body: retentionView(id, await findRetention(tx, workspaceId, id)) }
  })

  handle(app, docs.exportConversation, async ({ member, params, base, method }, reply) => {
    const conversation = requireFound(await findCountedConversation(db, member, params.id), 'conversation')
    reply
      .type('application/x-ndjson; charset=utf-8')
      .header('content-disposition', `attachment; filename="${conversation.id}.jsonl"`)
    return reply.send(method === 'HEAD' ? undefined : Readable.from(exportLines(db, member, conversation, base)))
  })
}
