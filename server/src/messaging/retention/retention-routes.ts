import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { forbidden, notFound } from '../../http/refusals.ts'
import { type Route, readRoute, writeRoute } from '../api/route.ts'
import { findMemberIds } from '../conversations/conversation-members.ts'
import { canDelete, findConversation, findCountedConversation } from '../conversations/conversation-store.ts'
import { emit } from '../events/outbox.ts'
import { RetentionUpdate, RetentionView, retentionOf, retentionView, setRetention } from './conversation-retention.ts'
import { exportLines } from './export-conversation.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the conversation does not exist, or the caller is not a member' }
const WHAT = 'conversation'

const getConversationRetentionRoute = readRoute({
  target: 'GET /v1/conversations/:id/retention',
  docs: {
    operationId: 'getConversationRetention',
    summary: 'Get the retention of a conversation',
    answers: { 200: RetentionView },
    errors: UNKNOWN,
  },
  handle: async ({ member, params }, { db }) => {
    const conversation = await findConversation(db, member, params.id ?? '')
    if (!conversation) throw notFound(WHAT)
    return retentionView(conversation.id, await retentionOf(db, member.workspaceId, conversation.id))
  },
})

const setConversationRetentionRoute = writeRoute({
  target: 'PUT /v1/conversations/:id/retention',
  docs: {
    operationId: 'setConversationRetention',
    summary: 'Set the number of days after which messages of a conversation are deleted permanently',
    description: "Cannot exceed the Workspace's retention. Requires permission to delete the conversation.",
    answers: { 200: RetentionView },
    errors: { ...UNKNOWN, 403: 'FORBIDDEN: only the owner of the group can change the retention' },
  },
  body: RetentionUpdate,
  write: async (tx, { member, params, body }) => {
    const conversation = await findConversation(tx, member, params.id ?? '')
    if (!conversation) throw notFound(WHAT)
    if (!(await canDelete(tx, member, conversation)))
      throw forbidden("Only the group's owner can change how long messages are kept.")
    const { id } = conversation
    const { workspaceId } = member
    await setRetention(tx, workspaceId, id, body.days)
    const audience = await findMemberIds(tx, workspaceId, id)
    const payload = { id, object: 'conversation', retention_days: body.days }
    await emit(tx, { workspaceId, type: 'conversation.updated', audience, payload })
    return { status: 200, body: retentionView(id, await retentionOf(tx, workspaceId, id)) }
  },
})

const exportConversationRoute = readRoute({
  target: 'GET /v1/conversations/:id/export',
  docs: {
    operationId: 'exportConversation',
    summary: 'Export a conversation as JSON lines',
    description: 'The conversation, then its messages, oldest first, in the format of the API.',
    answers: { 200: Type.String({ description: 'application/x-ndjson' }) },
    errors: UNKNOWN,
  },
  handle: async ({ member, params, base, http }, { db }, reply) => {
    const conversation = await findCountedConversation(db, member, params.id ?? '')
    if (!conversation) throw notFound(WHAT)
    reply
      .type('application/x-ndjson; charset=utf-8')
      .header('content-disposition', `attachment; filename="${conversation.id}.jsonl"`)
    if (http.method === 'HEAD') return reply.send()
    return reply.send(Readable.from(exportLines(db, member, conversation, base)))
  },
})

/** Retention and export of conversations. */
export const retentionRoutes: readonly Route[] = [
  getConversationRetentionRoute,
  setConversationRetentionRoute,
  exportConversationRoute,
]
