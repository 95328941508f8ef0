import { Type } from 'typebox'
import { findConversation } from '../../domains/messaging/conversations/conversation-store.ts'
import {
  checkText,
  type Message,
  MessageCreate,
  MessageUpdate,
  MessageView,
  parseAttachmentIds,
} from '../../domains/messaging/messages/message.ts'
import { listAllMessages, listMessages } from '../../domains/messaging/messages/message-list.ts'
import { searchMessages } from '../../domains/messaging/messages/message-search.ts'
import { deleteMessages, emitMessageUpdated, findMessage, lockMessage } from '../../domains/messaging/messages/message-store.ts'
import { loadMessageView, loadMessageViews, loadNewMessageView } from '../../domains/messaging/messages/message-views.ts'
import { parseReactions, refuseNames, tooManyNames } from '../../domains/messaging/messages/reaction.ts'
import { addReaction, removeReaction } from '../../domains/messaging/messages/reaction-store.ts'
import { notifyAssistants, prepareMessage, storeMessage } from '../../domains/messaging/messages/send-message.ts'
import { prepareReaction, prepareUpdate, updateMessage } from '../../domains/messaging/messages/update-message.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { isGroupOwner } from '../../domains/messaging/people/group-member-store.ts'
import type { Member } from '../../domains/messaging/people/member.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Page, PageRequest } from '../../platform/db/page.ts'
import { Refusal, refuseForbidden, refuseUnknown } from '../../shared/refusal.ts'
import { accepted, invalid, notFound, requireFound } from '../../shared/request-errors.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { operation, UNKNOWN_CONVERSATION, UNKNOWN_MESSAGE } from './operation.ts'
import { handlePrepared, handleWrite } from './write.ts'

const GOVERNED = {
  403: 'POLICY_DENIED, with audit_id. FORBIDDEN: only the sender can change a message',
  409: 'POLICY_REVIEW_PENDING, with review_item_id: the message is stored after approval',
}

const docs = {
  listMessages: operation('GET /v1/messages', 'listMessages', {
    summary: 'List the messages of one or all conversations, newest first',
    description: 'Without `conversation_id`: the messages of all conversations of the caller.',
    query: { ...ID_PAGE, conversation_id: Type.Optional(Type.String({ maxLength: 200 })) },
    answers: { 200: IdList(MessageView) },
    errors: UNKNOWN_CONVERSATION,
  }),
  searchMessages: operation('GET /v1/messages/search', 'searchMessages', {
    summary: "Search the messages of the caller's conversations that contain all words of q, newest first",
    description:
      'Words match exactly, also parts of ids, paths, file names, addresses and URLs. `"a phrase"`, `or` and `-without` work as in web searches.',
    query: {
      ...ID_PAGE,
      q: Type.String({ minLength: 1, maxLength: 1_000 }),
      conversation_id: Type.Optional(Type.String({ maxLength: 200 })),
    },
    answers: { 200: IdList(MessageView) },
    errors: UNKNOWN_CONVERSATION,
  }),
  getMessage: operation('GET /v1/messages/:id', 'getMessage', {
    summary: 'Get a message',
    description: '404 for a user who is not a member.',
    answers: { 200: MessageView },
    errors: UNKNOWN_MESSAGE,
  }),
  sendMessage: operation('POST /v1/messages', 'sendMessage', {
    summary: 'Send a message',
    body: MessageCreate,
    description: 'Policies decide on its text.',
    answers: { 201: MessageView },
    errors: { ...GOVERNED, ...UNKNOWN_CONVERSATION },
  }),
  updateMessage: operation('PUT /v1/messages/:id', 'updateMessage', {
    summary: "Change a message, its attachments or the caller's reactions",
    body: MessageUpdate,
    description: 'Missing fields stay unchanged. Only the sender changes text and attachments.',
    answers: { 200: MessageView },
    errors: { ...GOVERNED, ...UNKNOWN_MESSAGE },
  }),
  deleteMessage: operation('DELETE /v1/messages/:id', 'deleteMessage', {
    summary: 'Delete a message for all members, permanently',
    description: 'The sender may delete it, and so may the owner of the group.',
    answers: { 204: null },
    errors: { ...UNKNOWN_MESSAGE, 403: 'FORBIDDEN: only the sender and the owner of the group can delete a message' },
  }),
  addReaction: operation('PUT /v1/messages/:id/reactions/:name', 'addReaction', {
    summary: 'Add a reaction to a message',
    description: 'Changes only the reaction of the caller.',
    answers: { 200: MessageView },
    errors: { ...UNKNOWN_MESSAGE, 403: 'POLICY_DENIED, with audit_id' },
  }),
  removeReaction: operation('DELETE /v1/messages/:id/reactions/:name', 'removeReaction', {
    summary: "Remove the caller's reaction",
    description: 'Changes only the reaction of the caller.',
    answers: { 204: null },
    errors: { 404: "NOT_FOUND: the message or the caller's reaction does not exist" },
  }),
}

export function messageRoutes(app: TypedApp, deps: MessagingDeps): void {
  const { db } = deps

  const listOf = async (member: Member, base: string, page: PageRequest, found: Page<Message> | undefined) => {
    const list = idListOf(found, page, (message) => message)
    return { ...list, data: await loadMessageViews(db, member.workspaceId, list.data, base) }
  }

  handle(app, docs.listMessages, async ({ member, query, base }) => {
    const page = idPageOf(query)
    const id = query.conversation_id
    await requireConversation(db, member, id)
    const found = await (id === undefined ? listAllMessages(db, member, page) : listMessages(db, member, id, page))
    return listOf(member, base, page, found)
  })

  handle(app, docs.searchMessages, async ({ member, query, base }) => {
    const { q, conversation_id: id } = query
    await requireConversation(db, member, id)
    const page = idPageOf(query)
    return listOf(member, base, page, await searchMessages(db, member, q, page, id))
  })

  handle(app, docs.getMessage, async ({ member, params, base }) =>
    loadMessageView(db, requireFound(await findMessage(db, member, params.id), 'message'), base),
  )
  changeRoutes(app, deps)
  reactionRoutes(app, deps)
}

function changeRoutes(app: TypedApp, deps: MessagingDeps): void {
  const sendMessage = { ...docs.sendMessage, config: { requestKind: 'send' } } as const
  handlePrepared(app, deps, sendMessage, {
    prepare: async ({ member, body, now }) => {
      const text = accepted(checkText(body.message))
      const draft = { conversationId: body.conversation_id, text, attachments: parseAttachmentIds(body.attachments) }
      return prepareMessage(deps, member, draft, now)
    },
    write: async (tx, { member, base, now }, prepared) => {
      const sent = accepted(await storeMessage(tx, member, prepared, now))
      if ('reviewItemId' in sent) return { committed: new Refusal('POLICY_REVIEW_PENDING', sent) }
      const view = await loadNewMessageView(tx, sent.message, prepared.attachments.length > 0, base)
      return { status: 201, body: view, afterCommit: () => notifyAssistants(deps, sent) }
    },
  })

  handlePrepared(app, deps, docs.updateMessage, {
    prepare: async ({ member, params, body, now }) => {
      const { message, reactions, attachments } = body
      if (message === undefined && reactions === undefined && attachments === undefined)
        throw invalid({ param: '', message: 'must have message, reactions or attachments' })
      const update = {
        text: message === undefined ? undefined : accepted(checkText(message)),
        attachments: attachments && parseAttachmentIds(attachments),
        reactions: reactions && accepted(parseReactions(reactions)),
      }
      return prepareUpdate(deps, member, params.id, update, now)
    },
    write: async (tx, { member, params, base, now }, prepared) => {
      const updated = accepted(await updateMessage(tx, member, params.id, prepared, now))
      if ('reviewItemId' in updated) return { committed: new Refusal('POLICY_REVIEW_PENDING', updated) }
      return { status: 200, body: await loadMessageView(tx, updated, base) }
    },
  })

  handleWrite(app, deps, docs.deleteMessage, async (tx, { member, params, now }) => {
    const message = await findMessage(tx, member, params.id)
    const conversation = message && (await findConversation(tx, member, message.conversationId))
    if (!message || !conversation) return refuseUnknown('message')
    if (message.senderId !== member.user.id && !(await ownsGroup(tx, member, conversation)))
      return refuseForbidden('Only the sender and the owner of the group can delete a message.')
    const [deletedId] = await deleteMessages(tx, message, [message.id], now)
    return deletedId === undefined ? refuseUnknown('message') : { status: 204 }
  })
}

async function requireConversation(db: Db, member: Member, id: string | undefined): Promise<void> {
  if (id !== undefined && !(await findConversation(db, member, id))) throw notFound('conversation')
}

const ownsGroup = async (tx: Tx, member: Member, { groupId }: { readonly groupId: string | null }): Promise<boolean> =>
  groupId !== null && (await isGroupOwner(tx, member, groupId))

/** A reaction does not change the time of the message’s last update. */
function reactionRoutes(app: TypedApp, deps: MessagingDeps): void {
  handlePrepared(app, deps, docs.addReaction, {
    prepare: async ({ member, params: { id, name }, now }) =>
      refuseNames([name]) ?? (await prepareReaction(deps, member, id, name, now)),
    write: async (tx, { member, params, base, now }, { name, governed }) => {
      const message = requireFound(await lockMessage(tx, member, params.id), 'message')
      const result = await addReaction(tx, member, message, name, now)
      if (result === 'too_many_names') return tooManyNames()
      if (result === 'added') await emitMessageUpdated(tx, message, undefined)
      const body = await loadMessageView(tx, message, base)
      await governed.settle(tx)
      return { status: 200, body }
    },
  })

  handleWrite(app, deps, docs.removeReaction, async (tx, { member, params }) => {
    const message = requireFound(await lockMessage(tx, member, params.id), 'message')
    if (!(await removeReaction(tx, member, message, params.name))) return refuseUnknown('reaction')
    await emitMessageUpdated(tx, message, undefined)
    return { status: 204 }
  })
}
