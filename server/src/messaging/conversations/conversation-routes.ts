import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Db, Tx } from '../../db/database.ts'
import type { Member } from '../door/member.ts'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { ListOf, listView, PAGE, pageQuery } from '../door/pages.ts'
import { forbidden, invalid, notFound } from '../door/refusals.ts'
import { readRoute, writeRoute } from '../door/route.ts'
import { emit } from '../events/outbox.ts'
import { findContact } from '../people/contact-store.ts'
import { isMember } from '../people/group-store.ts'
import {
  type Conversation,
  ConversationCreate,
  ConversationUpdate,
  ConversationView,
  type CountedConversation,
  conversationView,
  ReadMarker,
} from './conversation.ts'
import { listConversations } from './conversation-list.ts'
import {
  conversationFor,
  countedConversation,
  createConversation,
  mayDelete,
  pinMessage,
  updateOwnState,
  type With,
} from './conversation-store.ts'
import { deleteConversation } from './delete-conversation.ts'
import { membersOfConversation } from './members.ts'
import { readUpTo } from './read-marker.ts'

const UNKNOWN = { 404: 'NOT_FOUND: no such conversation, or the caller is not in it' }

/** Conversations with a contact or a group, each as the caller has it. */
export function conversationRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/conversations',
    docs: {
      operationId: 'listConversations',
      summary: "The caller's conversations, the last active first",
      description: 'Of `muted`, `archived` and `pinned` only true filters.',
      query: {
        ...PAGE,
        muted: Type.Optional(Type.Boolean()),
        archived: Type.Optional(Type.Boolean()),
        pinned: Type.Optional(Type.Boolean()),
        group_id: Type.Optional(Type.String({ maxLength: 200 })),
      },
      answers: { 200: ListOf(ConversationView) },
      errors: { 404: 'NOT_FOUND: the group, or the caller is not in it' },
    },
    handle: async ({ member, query }, { db }) => {
      const { muted, archived, pinned, group_id: groupId } = query
      if (groupId !== undefined && !(await isMember(db, member.workspaceId, groupId, member.user.id))) throw notFound('group')
      const found = await listConversations(db, member, pageQuery(query), { muted, archived, pinned, groupId })
      return listView(found, conversationView)
    },
  })

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/conversations/:id',
    docs: { operationId: 'getConversation', summary: 'One conversation', answers: { 200: ConversationView }, errors: UNKNOWN },
    handle: async ({ member, params }, { db }) => conversationView(await shown(db, member, params.id)),
  })

  writeRoute(app, deps, {
    method: 'POST',
    path: '/v1/conversations',
    docs: {
      operationId: 'createConversation',
      summary: 'Begin a conversation with a contact or a group',
      description: 'Exactly one of contact_id and group_id. With `distinct` the newest one that exists is answered, with 200.',
      answers: { 200: ConversationView, 201: ConversationView },
      errors: { 404: 'NOT_FOUND: no such contact, or no such group that the caller is in' },
    },
    body: ConversationCreate,
    write: async (tx, { member, body, now }) => {
      const partner = await partnerIn(tx, member, body)
      const { id, created, members } = await createConversation(tx, member, partner, { distinct: body.distinct ?? false, now })
      const conversation = await shown(tx, member, id)
      if (created) await tellOfNew(tx, member, conversation, members)
      return { status: created ? 201 : 200, body: conversationView(conversation) }
    },
  })

  writeRoute(app, deps, {
    method: 'PUT',
    path: '/v1/conversations/:id',
    docs: {
      operationId: 'updateConversation',
      summary: 'Pin, mute or archive a conversation, or pin a message in it',
      description: 'What is left out stays. All but pinned_message_id is for the caller alone.',
      answers: { 200: ConversationView },
      errors: UNKNOWN,
    },
    body: ConversationUpdate,
    write: async (tx, { member, params, body }) => {
      const { pinned_message_id: pinned, is_pinned: isPinned, is_muted: isMuted, archived_at } = body
      const archivedAt = typeof archived_at === 'number' ? new Date(archived_at * 1_000) : archived_at
      const own = [isPinned, isMuted, archivedAt].some((field) => field !== undefined)
      if (!own && pinned === undefined) {
        throw invalid({ param: '', message: 'must name pinned_message_id, is_pinned, is_muted or archived_at' })
      }
      const { id } = await found(tx, member, params.id)
      if (pinned !== undefined && !(await pinMessage(tx, member.workspaceId, id, pinned))) {
        throw invalid({ param: 'pinned_message_id', message: 'must be the id of a message of this conversation' })
      }
      if (own) await updateOwnState(tx, member, id, { isPinned, isMuted, archivedAt })
      const view = conversationView(await shown(tx, member, id))
      const about = { workspaceId: member.workspaceId, type: 'conversation.updated' } as const
      if (own) await emit(tx, { ...about, audience: [member.user.id], payload: view })
      if (pinned !== undefined) {
        const everybody = await membersOfConversation(tx, member.workspaceId, id)
        const audience = everybody.filter((user) => !own || user !== member.user.id)
        await emit(tx, { ...about, audience, payload: shared(view) })
      }
      return { status: 200, body: view }
    },
  })

  writeRoute(app, deps, {
    method: 'DELETE',
    path: '/v1/conversations/:id',
    docs: {
      operationId: 'deleteConversation',
      summary: 'Delete a conversation with all its messages, for everybody and for good',
      answers: { 204: null },
      errors: { ...UNKNOWN, 403: "FORBIDDEN: a group's conversation, which its owner deletes" },
    },
    write: async (tx, { member, params, now }) => {
      const conversation = await found(tx, member, params.id)
      if (!(await mayDelete(tx, member, conversation))) throw forbidden("Only the group's owner deletes its conversations.")
      await deleteConversation(tx, member.workspaceId, conversation.id, now)
      return { status: 204, body: undefined }
    },
  })

  writeRoute(app, deps, {
    method: 'POST',
    path: '/v1/conversations/:id/read',
    docs: {
      operationId: 'readConversation',
      summary: "Move the caller's read marker up to a message, or to the end; never back",
      answers: { 200: ConversationView },
      errors: UNKNOWN,
    },
    body: ReadMarker,
    write: async (tx, { member, params, body, now }) => {
      const conversation = await found(tx, member, params.id)
      const moved = await readUpTo(tx, member, conversation, body.message_id ?? undefined, now)
      if (moved === undefined) {
        throw invalid({ param: 'message_id', message: 'must be the id of a message of this conversation' })
      }
      return { status: 200, body: conversationView(await shown(tx, member, conversation.id)) }
    },
  })
}

async function found(db: Db, member: Member, id = ''): Promise<Conversation> {
  const conversation = await conversationFor(db, member, id)
  if (!conversation) throw notFound('conversation')
  return conversation
}

async function shown(db: Db, member: Member, id = ''): Promise<CountedConversation> {
  const conversation = await countedConversation(db, member, id)
  if (!conversation) throw notFound('conversation')
  return conversation
}

/** With whom a body wants a conversation. */
async function partnerIn(
  tx: Tx,
  { workspaceId, user }: Member,
  { contact_id: contactId, group_id: groupId }: Static<typeof ConversationCreate>,
): Promise<With> {
  if (typeof contactId === 'string' && typeof groupId !== 'string') {
    if (contactId === user.id) throw invalid({ param: 'contact_id', message: 'must be somebody else' })
    if (!(await findContact(tx, workspaceId, contactId))) throw notFound('contact')
    return { contactId }
  }
  if (typeof groupId === 'string' && typeof contactId !== 'string') {
    if (!(await isMember(tx, workspaceId, groupId, user.id))) throw notFound('group')
    return { groupId }
  }
  throw invalid({ param: 'contact_id', message: 'must be given, or group_id; not both' })
}

/** What of a conversation is the same for all of its members. */
const shared = ({ id, object, group_id, pinned_message_id, last_active_at, created_at }: Static<typeof ConversationView>) => ({
  id,
  object,
  group_id,
  pinned_message_id,
  last_active_at,
  created_at,
})

async function tellOfNew(tx: Tx, { workspaceId, user }: Member, made: CountedConversation, members: readonly string[]) {
  const view = conversationView(made)
  const about = { workspaceId, type: 'conversation.created' } as const
  if (made.groupId !== null) return emit(tx, { ...about, audience: members, payload: view })
  const others = members.filter((id) => id !== user.id)
  await emit(
    tx,
    { ...about, audience: [user.id], payload: view },
    { ...about, audience: others, payload: { ...view, contact_id: user.id } },
  )
}
