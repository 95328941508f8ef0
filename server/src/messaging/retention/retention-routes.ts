import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { conversationFor, countedConversation, mayDelete } from '../conversations/conversation-store.ts'
import { membersOfConversation } from '../conversations/members.ts'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { forbidden, notFound } from '../door/refusals.ts'
import { readRoute, writeRoute } from '../door/route.ts'
import { emit } from '../events/outbox.ts'
import { RetentionUpdate, RetentionView, retentionOf, retentionView, setRetention } from './conversation-retention.ts'
import { exportLines } from './export.ts'

const UNKNOWN = { 404: 'NOT_FOUND: no such conversation, or the caller is not in it' }
const WHAT = 'conversation'

/** How long a conversation is kept, and a copy of it to keep. */
export function retentionRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/conversations/:id/retention',
    docs: {
      operationId: 'getConversationRetention',
      summary: 'How long messages of a conversation are kept',
      answers: { 200: RetentionView },
      errors: UNKNOWN,
    },
    handle: async ({ member, params }, { db }) => {
      const conversation = await conversationFor(db, member, params.id ?? '')
      if (!conversation) throw notFound(WHAT)
      return retentionView(conversation.id, await retentionOf(db, member.workspaceId, conversation.id))
    },
  })

  writeRoute(app, deps, {
    method: 'PUT',
    path: '/v1/conversations/:id/retention',
    docs: {
      operationId: 'setConversationRetention',
      summary: 'Keep messages of a conversation for so many days, then delete them for good',
      description: 'Never for longer than the Workspace keeps them. For those who may delete the conversation.',
      answers: { 200: RetentionView },
      errors: { ...UNKNOWN, 403: "FORBIDDEN: a group's conversation, and the caller is not its owner" },
    },
    body: RetentionUpdate,
    write: async (tx, { member, params, body }) => {
      const conversation = await conversationFor(tx, member, params.id ?? '')
      if (!conversation) throw notFound(WHAT)
      if (!(await mayDelete(tx, member, conversation))) throw forbidden("Only the group's owner says how long messages are kept.")
      const { id } = conversation
      const { workspaceId } = member
      await setRetention(tx, workspaceId, id, body.days)
      const audience = await membersOfConversation(tx, workspaceId, id)
      const payload = { id, object: 'conversation', retention_days: body.days }
      await emit(tx, { workspaceId, type: 'conversation.updated', audience, payload })
      return { status: 200, body: retentionView(id, await retentionOf(tx, workspaceId, id)) }
    },
  })

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/conversations/:id/export',
    docs: {
      operationId: 'exportConversation',
      summary: 'A whole conversation as JSON lines',
      description: 'The conversation, then its messages, oldest first, each as the API shows it.',
      answers: { 200: Type.String({ description: 'application/x-ndjson' }) },
      errors: UNKNOWN,
    },
    handle: async ({ member, params, base, request }, { db }, reply) => {
      const conversation = await countedConversation(db, member, params.id ?? '')
      if (!conversation) throw notFound(WHAT)
      reply
        .type('application/x-ndjson; charset=utf-8')
        .header('content-disposition', `attachment; filename="${conversation.id}.jsonl"`)
      if (request.method === 'HEAD') return reply.send()
      return reply.send(Readable.from(exportLines(db, member, conversation, base)))
    },
  })
}
