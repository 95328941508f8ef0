import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { findMemberIds } from '../../domains/messaging/conversations/conversation-members.ts'
import { canDelete, findConversation, findCountedConversation } from '../../domains/messaging/conversations/conversation-store.ts'
import { emit } from '../../domains/messaging/events/outbox.ts'
import {
  findRetention,
  RetentionUpdate,
  RetentionView,
  retentionView,
  setRetention,
} from '../../domains/messaging/retention/conversation-retention.ts'
import { exportLines } from '../../domains/messaging/retention/export-conversation.ts'
import { forbidden, requireFound } from '../../shared/refusals.ts'
import { type Route, readRoute, writeRoute } from './route.ts'

const NOT_FOUND = { 404: 'NOT_FOUND: the conversation does not exist, or the caller is not a member' }

export const retentionRoutes: readonly Route[] = [
  readRoute({
    target: 'GET /v1/conversations/:id/retention',
    docs: {
      operationId: 'getConversationRetention',
      summary: 'Get the retention of a conversation',
      answers: { 200: RetentionView },
      errors: NOT_FOUND,
    },
    handle: async ({ member, params }, { db }) => {
      const conversation = requireFound(await findConversation(db, member, params.id ?? ''), 'conversation')
      return retentionView(conversation.id, await findRetention(db, member.workspaceId, conversation.id))
    },
  }),
  writeRoute({
    target: 'PUT /v1/conversations/:id/retention',
    docs: {
      operationId: 'setConversationRetention',
      summary: 'Set the number of days after which messages of a conversation are deleted permanently',
      description: "Cannot exceed the Workspace's retention. Requires permission to delete the conversation.",
      answers: { 200: RetentionView },
      errors: { ...NOT_FOUND, 403: 'FORBIDDEN: only the owner of the group can change the retention' },
    },
    body: RetentionUpdate,
    write: async (tx, { member, params, body }) => {
      const conversation = requireFound(await findConversation(tx, member, params.id ?? ''), 'conversation')
      if (!(await canDelete(tx, member, conversation)))
        throw forbidden('Only the owner of the group can change the retention. Ask the owner.')
      const { id } = conversation
      const { workspaceId } = member
      await setRetention(tx, workspaceId, id, body.days)
      const audience = await findMemberIds(tx, workspaceId, id)
      const payload = { id, object: 'conversation', retention_days: body.days }
      await emit(tx, { workspaceId, type: 'conversation.updated', audience, payload })
      return { status: 200, body: retentionView(id, await findRetention(tx, workspaceId, id)) }
    },
  }),
  readRoute({
    target: 'GET /v1/conversations/:id/export',
    docs: {
      operationId: 'exportConversation',
      summary: 'Export a conversation as JSON lines',
      description: 'The conversation, then its messages, oldest first, in the format of the API.',
      answers: { 200: Type.String({ description: 'application/x-ndjson' }) },
      errors: NOT_FOUND,
    },
    handle: async ({ member, params, base, http }, { db }, reply) => {
      const conversation = requireFound(await findCountedConversation(db, member, params.id ?? ''), 'conversation')
      reply
        .type('application/x-ndjson; charset=utf-8')
        .header('content-disposition', `attachment; filename="${conversation.id}.jsonl"`)
      if (http.method === 'HEAD') return reply.send()
      return reply.send(Readable.from(exportLines(db, member, conversation, base)))
    },
  }),
]
