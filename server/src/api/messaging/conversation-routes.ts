import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import {
  ConversationCreate,
  ConversationUpdate,
  ConversationView,
  conversationView,
  ReadMarker,
} from '../../domains/messaging/conversations/conversation.ts'
import {
  type ConversationPartner,
  canDelete,
  createConversation,
  findConversation,
  findCountedConversation,
  findMemberIds,
  listConversations,
  pinMessage,
  updateMemberState,
} from '../../domains/messaging/conversations/conversation-store.ts'
import { deleteConversation } from '../../domains/messaging/conversations/delete-conversation.ts'
import { moveReadMarker } from '../../domains/messaging/conversations/read-marker.ts'
import { emit } from '../../domains/messaging/events/event.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { findContact } from '../../domains/messaging/people/contact-store.ts'
import { isGroupMember } from '../../domains/messaging/people/group-member-store.ts'
import type { Member } from '../../domains/messaging/people/member.ts'
import {
  findRetention,
  RetentionUpdate,
  RetentionView,
  retentionView,
  setRetention,
} from '../../domains/messaging/retention/conversation-retention.ts'
import { exportLines } from '../../domains/messaging/retention/export-conversation.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { refuseForbidden, refuseInvalid } from '../../shared/refusal.ts'
import { invalid, notFound, requireFound } from '../../shared/request-errors.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { operation, UNKNOWN_CONVERSATION, UNKNOWN_GROUP } from './operation.ts'
import { handleWrite, type RequestOf } from './write.ts'

const docs = {
  listConversations: operation('GET /v1/conversations', 'listConversations', {
    summary: "List the caller's conversations, last active first",
    description: '`muted`, `archived` and `pinned` filter when they are true.',
    query: {
      ...ID_PAGE,
      muted: Type.Optional(Type.Boolean()),
      archived: Type.Optional(Type.Boolean()),
      pinned: Type.Optional(Type.Boolean()),
      group_id: Type.Optional(Type.String({ maxLength: 200 })),
    },
    answers: { 200: IdList(ConversationView) },
    errors: UNKNOWN_GROUP,
  }),
  getConversation: operation('GET /v1/conversations/:id', 'getConversation', {
    summary: 'Get a conversation',
    description: '404 for a user who is not a member.',
    answers: { 200: ConversationView },
    errors: UNKNOWN_CONVERSATION,
  }),
  createConversation: operation('POST /v1/conversations', 'createConversation', {
    summary: 'Start a conversation with a contact or a group',
    body: ConversationCreate,
    description:
      'Needs exactly one of contact_id and group_id. With `distinct` the response is the newest existing conversation, with 200.',
    answers: { 200: ConversationView, 201: ConversationView },
    errors: { 404: 'NOT_FOUND: the contact or the group does not exist, or the caller is not a member of the group' },
  }),
  updateConversation: operation('PUT /v1/conversations/:id', 'updateConversation', {
    summary: 'Pin, mute or archive a conversation, or pin a message in it',
    body: ConversationUpdate,
    description: 'Missing fields stay unchanged. All fields except pinned_message_id are the caller’s own.',
    answers: { 200: ConversationView },
    errors: UNKNOWN_CONVERSATION,
  }),
  deleteConversation: operation('DELETE /v1/conversations/:id', 'deleteConversation', {
    summary: 'Delete a conversation and all its messages, for all members and permanently',
    description: 'Either side may delete a direct conversation. Only the owner may delete that of a group.',
    answers: { 204: null },
    errors: { ...UNKNOWN_CONVERSATION, 403: 'FORBIDDEN: only the owner of the group can delete its conversations' },
  }),
  readConversation: operation('POST /v1/conversations/:id/read', 'readConversation', {
    summary: "Move the caller's read marker forward to a message, or to the end",
    body: ReadMarker,
    description: 'Sets `last_opened_at`, and `read_at` of the messages for their senders. The marker never moves back.',
    answers: { 200: ConversationView },
    errors: UNKNOWN_CONVERSATION,
  }),
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
    answers: { 200: { description: 'JSON lines.', content: { 'application/x-ndjson': { schema: Type.String() } } } },
    errors: UNKNOWN_CONVERSATION,
  }),
}

export function conversationRoutes(app: TypedApp, deps: MessagingDeps): void {
  const { db } = deps

  handle(app, docs.listConversations, async ({ member, query }) => {
    const { muted, archived, pinned, group_id: groupId } = query
    if (groupId !== undefined && !(await isGroupMember(db, member.workspaceId, groupId, member.user.id))) throw notFound('group')
    const page = idPageOf(query)
    return idListOf(await listConversations(db, member, page, { muted, archived, pinned, groupId }), page, conversationView)
  })

  handle(app, docs.getConversation, ({ member, params }) => viewConversation(db, member, params.id))

  handleWrite(app, deps, docs.createConversation, async (tx, { member, body, now }) => {
    const partner = await requirePartner(tx, member, body)
    const { id, created, members } = await createConversation(tx, member, partner, { distinct: body.distinct ?? false, now })
    const view = await viewConversation(tx, member, id)
    if (created) await emitConversationCreated(tx, member, view, members)
    return { status: created ? 201 : 200, body: view }
  })

  handleWrite(app, deps, docs.updateConversation, async (tx, request) => ({
    status: 200,
    body: await updateConversation(tx, request),
  }))

  handleWrite(app, deps, docs.deleteConversation, async (tx, { member, params, now }) => {
    const conversation = requireFound(await findConversation(tx, member, params.id), 'conversation')
    if (!(await canDelete(tx, member, conversation)))
      return refuseForbidden("Only the group's owner can delete its conversations.")
    await deleteConversation(tx, member.workspaceId, conversation.id, now)
    return { status: 204 }
  })

  handleWrite(app, deps, docs.readConversation, async (tx, { member, params, body, now }) => {
    const conversation = requireFound(await findConversation(tx, member, params.id), 'conversation')
    const markerMoved = await moveReadMarker(tx, member, conversation, body.message_id ?? undefined, now)
    if (markerMoved === undefined)
      return refuseInvalid({ param: 'message_id', message: 'must be the id of a message of this conversation' })
    return { status: 200, body: await viewConversation(tx, member, conversation.id) }
  })
}

const viewConversation = async (db: Db, member: Member, id: string): Promise<View> =>
  conversationView(requireFound(await findCountedConversation(db, member, id), 'conversation'))

type View = Static<typeof ConversationView>

async function updateConversation(
  tx: Tx,
  { member, params, body }: RequestOf<typeof docs.updateConversation.schema>,
): Promise<View> {
  const { pinned_message_id: pinnedMessageId, is_pinned: isPinned, is_muted: isMuted, archived_at } = body
  const archivedAt = typeof archived_at === 'number' ? new Date(archived_at * 1_000) : archived_at
  const changesOwnState = [isPinned, isMuted, archivedAt].some((field) => field !== undefined)
  if (!changesOwnState && pinnedMessageId === undefined)
    throw invalid({ param: '', message: 'must have pinned_message_id, is_pinned, is_muted or archived_at' })
  const { workspaceId } = member
  const { id } = requireFound(await findConversation(tx, member, params.id), 'conversation')
  if (pinnedMessageId !== undefined && !(await pinMessage(tx, workspaceId, id, pinnedMessageId)))
    throw invalid({ param: 'pinned_message_id', message: 'must be the id of a message of this conversation' })
  if (changesOwnState) await updateMemberState(tx, member, id, { isPinned, isMuted, archivedAt })
  const view = await viewConversation(tx, member, id)
  const event = { workspaceId, type: 'conversation.updated' } as const
  if (changesOwnState) await emit(tx, { ...event, audience: [member.user.id], payload: view })
  if (pinnedMessageId !== undefined) {
    const members = await findMemberIds(tx, workspaceId, id)
    const audience = members.filter((userId) => !changesOwnState || userId !== member.user.id)
    await emit(tx, { ...event, audience, payload: Object.fromEntries(SHARED_FIELDS.map((field) => [field, view[field]])) })
  }
  return view
}

/** The contact or group of a new conversation. Throws a 400 or NOT_FOUND if the body does not name one. */
async function requirePartner(
  tx: Tx,
  { workspaceId, user }: Member,
  { contact_id: contactId, group_id: groupId }: Static<typeof ConversationCreate>,
): Promise<ConversationPartner> {
  if (typeof contactId === 'string' && typeof groupId !== 'string') {
    if (contactId === user.id) throw invalid({ param: 'contact_id', message: 'must be another user' })
    if (!(await findContact(tx, workspaceId, contactId))) throw notFound('contact')
    return { contactId }
  }
  if (typeof groupId === 'string' && typeof contactId !== 'string') {
    if (!(await isGroupMember(tx, workspaceId, groupId, user.id))) throw notFound('group')
    return { groupId }
  }
  throw invalid({ param: 'contact_id', message: 'is required, or group_id; not both' })
}

/** The fields of a conversation that are the same for all members. */
const SHARED_FIELDS = ['id', 'object', 'group_id', 'pinned_message_id', 'last_active_at', 'created_at'] as const

async function emitConversationCreated(tx: Tx, { workspaceId, user }: Member, view: View, members: readonly string[]) {
  const event = { workspaceId, type: 'conversation.created' } as const
  if (view.group_id !== null) return emit(tx, { ...event, audience: members, payload: view })
  const others = members.filter((id) => id !== user.id)
  const othersEvent = { ...event, audience: others, payload: { ...view, contact_id: user.id } }
  await emit(tx, { ...event, audience: [user.id], payload: view }, othersEvent)
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
    if (!(await canDelete(tx, member, conversation)))
      return refuseForbidden('Only the owner of the group can change the retention. Ask the owner.')
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
