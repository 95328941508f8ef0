import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { conversationFor, ownsGroup } from '../conversations/conversation-store.ts'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { ListOf, PAGE, pageQuery } from '../door/pages.ts'
import { forbidden, invalid, notFound } from '../door/refusals.ts'
import { readRoute, refusal, writeRoute } from '../door/route.ts'
import { MessageView } from './message.ts'
import { attachmentIdsIn, checkedText, MessageCreate, MessageUpdate } from './message-bodies.ts'
import { listAllMessages, listMessages } from './message-list.ts'
import { deleteMessages, findMessageFor } from './message-store.ts'
import { messageViews, newMessageView, oneMessageView } from './message-views.ts'
import { reactionRoutes } from './reaction-routes.ts'
import { reactionsIn } from './reactions.ts'
import { searchMessages } from './search.ts'
import { prepareMessage, storeMessage, tellAssistants } from './send-message.ts'
import { prepareUpdate, updateMessage } from './update-message.ts'

const UNKNOWN = { 404: 'NOT_FOUND: no such message, or the caller is not in its conversation' }
const GOVERNED = {
  403: 'POLICY_DENIED, with audit_id; FORBIDDEN: only its sender changes a message',
  409: 'POLICY_REVIEW_PENDING, with review_item_id: stored once a reviewer approves it',
}
const NO_CONVERSATION = { 404: 'NOT_FOUND: no such conversation, or the caller is not in it' }

/** Messages of the caller's conversations; every text passes the policies, when it is sent and when it is changed. */
export function messageRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/messages',
    docs: {
      operationId: 'listMessages',
      summary: 'Messages of one conversation, or of all, newest first',
      query: { ...PAGE, conversation_id: Type.Optional(Type.String({ maxLength: 200 })) },
      answers: { 200: ListOf(MessageView) },
      errors: NO_CONVERSATION,
    },
    handle: async ({ member, query, base }, { db }) => {
      const page = pageQuery(query)
      const id = query.conversation_id
      if (id !== undefined && !(await conversationFor(db, member, id))) throw notFound('conversation')
      const found = await (id === undefined ? listAllMessages(db, member, page) : listMessages(db, member, id, page))
      const data = await messageViews(db, member.workspaceId, found.data, base)
      return { object: 'list', data, has_more: found.hasMore }
    },
  })

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/messages/search',
    docs: {
      operationId: 'searchMessages',
      summary: "Messages of the caller's conversations that hold all the words of q, newest first",
      description: 'Words as they are written; `"a phrase"`, `or` and `-without` mean what they say.',
      query: {
        ...PAGE,
        q: Type.String({ minLength: 1, maxLength: 1_000 }),
        conversation_id: Type.Optional(Type.String({ maxLength: 200 })),
      },
      answers: { 200: ListOf(MessageView) },
      errors: NO_CONVERSATION,
    },
    handle: async ({ member, query, base }, { db }) => {
      const { q, conversation_id: id } = query
      if (id !== undefined && !(await conversationFor(db, member, id))) throw notFound('conversation')
      const found = await searchMessages(db, member, q, pageQuery(query), id)
      const data = await messageViews(db, member.workspaceId, found.data, base)
      return { object: 'list', data, has_more: found.hasMore }
    },
  })

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/messages/:id',
    docs: { operationId: 'getMessage', summary: 'One message', answers: { 200: MessageView }, errors: UNKNOWN },
    handle: async ({ member, params, base }, { db }) => {
      const message = await findMessageFor(db, member, params.id ?? '')
      if (!message) throw notFound('message')
      return oneMessageView(db, message, base)
    },
  })

  writeRoute(app, deps, {
    method: 'POST',
    path: '/v1/messages',
    docs: {
      operationId: 'sendMessage',
      summary: 'Send a message',
      answers: { 201: MessageView },
      errors: { ...GOVERNED, ...NO_CONVERSATION },
    },
    body: MessageCreate,
    kind: 'send',
    prepare: ({ member, body, now }, deps) => {
      const text = checkedText(body.message)
      const draft = { conversationId: body.conversation_id, text, attachments: attachmentIdsIn(body.attachments) }
      return prepareMessage(deps, member, draft, now)
    },
    write: async (tx, { member, base, now }, ready, deps) => {
      const sent = await storeMessage(tx, member, ready, now)
      if (sent.kind === 'held') return refusal('POLICY_REVIEW_PENDING', sent)
      const body = await newMessageView(tx, sent.message, ready.attachments.length > 0, base)
      return { status: 201, body, after: () => tellAssistants(deps, sent) }
    },
  })

  writeRoute(app, deps, {
    method: 'PUT',
    path: '/v1/messages/:id',
    docs: {
      operationId: 'updateMessage',
      summary: 'Change a message, its attachments, or what the caller reacts with',
      description: 'What is left out stays. Text and attachments are changed by the sender only.',
      answers: { 200: MessageView },
      errors: { ...GOVERNED, ...UNKNOWN },
    },
    body: MessageUpdate,
    prepare: ({ member, params, body, now }, deps) => {
      const { message, reactions, attachments } = body
      if (message === undefined && reactions === undefined && attachments === undefined) {
        throw invalid({ param: '', message: 'must name message, reactions or attachments' })
      }
      const update = {
        text: message === undefined ? undefined : checkedText(message),
        attachments: attachments && attachmentIdsIn(attachments),
        reactions: reactions && reactionsIn(reactions),
      }
      return prepareUpdate(deps, member, params.id ?? '', update, now)
    },
    write: async (tx, { member, params, base, now }, ready) => {
      const done = await updateMessage(tx, member, params.id ?? '', ready, now)
      if (done.kind === 'held') return refusal('POLICY_REVIEW_PENDING', done)
      return { status: 200, body: await oneMessageView(tx, done.message, base) }
    },
  })

  writeRoute(app, deps, {
    method: 'DELETE',
    path: '/v1/messages/:id',
    docs: {
      operationId: 'deleteMessage',
      summary: 'Delete a message for everybody and for good',
      answers: { 204: null },
      errors: { ...UNKNOWN, 403: 'FORBIDDEN: only its sender and the owner of its group delete a message' },
    },
    write: async (tx, { member, params, now }) => {
      const message = await findMessageFor(tx, member, params.id ?? '')
      const place = message && (await conversationFor(tx, member, message.conversationId))
      if (!message || !place) throw notFound('message')
      const own = message.senderId === member.user.id
      if (!own && !(place.groupId !== null && (await ownsGroup(tx, member, place.groupId)))) {
        throw forbidden('Only its sender and the owner of its group delete a message.')
      }
      const [gone] = await deleteMessages(tx, message, [message.id], now)
      if (gone === undefined) throw notFound('message')
      return { status: 204, body: undefined }
    },
  })

  reactionRoutes(app, deps)
}
