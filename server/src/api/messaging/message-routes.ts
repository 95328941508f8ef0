import { Type } from 'typebox'
import { findConversation } from '../../domains/messaging/conversations/conversation-store.ts'
import { MessageView } from '../../domains/messaging/messages/message.ts'
import { checkText, MessageCreate, MessageUpdate, parseAttachmentIds } from '../../domains/messaging/messages/message-bodies.ts'
import { listAllMessages, listMessages } from '../../domains/messaging/messages/message-list.ts'
import { searchMessages } from '../../domains/messaging/messages/message-search.ts'
import { deleteMessages, findMessage } from '../../domains/messaging/messages/message-store.ts'
import { loadMessageView, loadMessageViews, loadNewMessageView } from '../../domains/messaging/messages/message-views.ts'
import { parseReactions } from '../../domains/messaging/messages/reaction.ts'
import { notifyAssistants, prepareMessage, storeMessage } from '../../domains/messaging/messages/send-message.ts'
import { prepareUpdate, updateMessage } from '../../domains/messaging/messages/update-message.ts'
import { isGroupOwner } from '../../domains/messaging/people/group-member-store.ts'
import { forbidden, invalid, notFound, requireFound } from '../../shared/refusals.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { reactionRoutes } from './reaction-routes.ts'
import { type Route, readRoute, refusal, writeRoute } from './route.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the message does not exist, or the caller is not a member of its conversation' }
const GOVERNED = {
  403: 'POLICY_DENIED, with audit_id. FORBIDDEN: only the sender can change a message',
  409: 'POLICY_REVIEW_PENDING, with review_item_id: the message is stored after approval',
}
const NO_CONVERSATION = { 404: 'NOT_FOUND: the conversation does not exist, or the caller is not a member' }

/** Routes of the messages in the caller's conversations. Policies decide on every new and changed text. */
export const messageRoutes: readonly Route[] = [
  readRoute({
    target: 'GET /v1/messages',
    docs: {
      operationId: 'listMessages',
      summary: 'List the messages of one or all conversations, newest first',
      description: 'Rules: MSG-MSG-3, MSG-LIST-1 to MSG-LIST-5.',
      query: { ...ID_PAGE, conversation_id: Type.Optional(Type.String({ maxLength: 200 })) },
      answers: { 200: IdList(MessageView) },
      errors: NO_CONVERSATION,
    },
    handle: async ({ member, query, base }, { db }) => {
      const page = idPageOf(query)
      const id = query.conversation_id
      if (id !== undefined && !(await findConversation(db, member, id))) throw notFound('conversation')
      const messages = await (id === undefined ? listAllMessages(db, member, page) : listMessages(db, member, id, page))
      const list = idListOf(messages, page, (message) => message)
      return { ...list, data: await loadMessageViews(db, member.workspaceId, list.data, base) }
    },
  }),
  readRoute({
    target: 'GET /v1/messages/search',
    docs: {
      operationId: 'searchMessages',
      summary: "Search the messages of the caller's conversations that contain all words of q, newest first",
      description:
        'Words match exactly, also parts of ids, paths, file names, addresses and URLs. `"a phrase"`, `or` and `-without` work as in web searches. Rule: MSG-MSG-11.',
      query: {
        ...ID_PAGE,
        q: Type.String({ minLength: 1, maxLength: 1_000 }),
        conversation_id: Type.Optional(Type.String({ maxLength: 200 })),
      },
      answers: { 200: IdList(MessageView) },
      errors: NO_CONVERSATION,
    },
    handle: async ({ member, query, base }, { db }) => {
      const { q, conversation_id: id } = query
      if (id !== undefined && !(await findConversation(db, member, id))) throw notFound('conversation')
      const page = idPageOf(query)
      const messages = await searchMessages(db, member, q, page, id)
      const list = idListOf(messages, page, (message) => message)
      return { ...list, data: await loadMessageViews(db, member.workspaceId, list.data, base) }
    },
  }),
  readRoute({
    target: 'GET /v1/messages/:id',
    docs: {
      operationId: 'getMessage',
      summary: 'Get a message',
      description: 'Rule: MSG-MSG-5.',
      answers: { 200: MessageView },
      errors: UNKNOWN,
    },
    handle: async ({ member, params, base }, { db }) => {
      const message = requireFound(await findMessage(db, member, params.id ?? ''), 'message')
      return loadMessageView(db, message, base)
    },
  }),
  writeRoute({
    target: 'POST /v1/messages',
    docs: {
      operationId: 'sendMessage',
      summary: 'Send a message',
      description: 'Policies decide on its text (MSG-GOV-1 to MSG-GOV-6). Rules: MSG-MSG-4, MSG-MSG-8, MSG-MSG-10.',
      answers: { 201: MessageView },
      errors: { ...GOVERNED, ...NO_CONVERSATION },
    },
    body: MessageCreate,
    kind: 'send',
    prepare: ({ member, body, now }, deps) => {
      const text = checkText(body.message)
      const draft = { conversationId: body.conversation_id, text, attachments: parseAttachmentIds(body.attachments) }
      return prepareMessage(deps, member, draft, now)
    },
    write: async (tx, { member, base, now }, prepared, deps) => {
      const sent = await storeMessage(tx, member, prepared, now)
      if (sent.kind === 'held') return refusal('POLICY_REVIEW_PENDING', sent)
      const body = await loadNewMessageView(tx, sent.message, prepared.attachments.length > 0, base)
      return { status: 201, body, afterCommit: () => notifyAssistants(deps, sent) }
    },
  }),
  writeRoute({
    target: 'PUT /v1/messages/:id',
    docs: {
      operationId: 'updateMessage',
      summary: "Change a message, its attachments or the caller's reactions",
      description:
        'Missing fields stay unchanged. Only the sender changes text and attachments (MSG-MSG-6, MSG-REACT-1 to MSG-REACT-3).',
      answers: { 200: MessageView },
      errors: { ...GOVERNED, ...UNKNOWN },
    },
    body: MessageUpdate,
    prepare: ({ member, params, body, now }, deps) => {
      const { message, reactions, attachments } = body
      if (message === undefined && reactions === undefined && attachments === undefined) {
        throw invalid({ param: '', message: 'must have message, reactions or attachments' })
      }
      const update = {
        text: message === undefined ? undefined : checkText(message),
        attachments: attachments && parseAttachmentIds(attachments),
        reactions: reactions && parseReactions(reactions),
      }
      return prepareUpdate(deps, member, params.id ?? '', update, now)
    },
    write: async (tx, { member, params, base, now }, prepared) => {
      const result = await updateMessage(tx, member, params.id ?? '', prepared, now)
      if (result.kind === 'held') return refusal('POLICY_REVIEW_PENDING', result)
      return { status: 200, body: await loadMessageView(tx, result.message, base) }
    },
  }),
  writeRoute({
    target: 'DELETE /v1/messages/:id',
    docs: {
      operationId: 'deleteMessage',
      summary: 'Delete a message for all members, permanently',
      description: 'Rule: MSG-MSG-7.',
      answers: { 204: null },
      errors: { ...UNKNOWN, 403: 'FORBIDDEN: only the sender and the owner of the group can delete a message' },
    },
    write: async (tx, { member, params, now }) => {
      const message = await findMessage(tx, member, params.id ?? '')
      const conversation = message && (await findConversation(tx, member, message.conversationId))
      if (!message || !conversation) throw notFound('message')
      const { groupId } = conversation
      const isSender = message.senderId === member.user.id
      if (!isSender && !(groupId !== null && (await isGroupOwner(tx, member, groupId)))) {
        throw forbidden('Only the sender and the owner of the group can delete a message.')
      }
      const [deletedId] = await deleteMessages(tx, message, [message.id], now)
      if (deletedId === undefined) throw notFound('message')
      return { status: 204, body: undefined }
    },
  }),
  ...reactionRoutes,
]
