import { governFields } from '../../domains/messaging/governance/governed-fields.ts'
import { GroupCreate, GroupUpdate, GroupView, groupView } from '../../domains/messaging/groups/group.ts'
import {
  checkContacts,
  deleteGroupWithConversations,
  emitGroup,
  lockOwnedGroup,
  ownedGroup,
  replaceMembers,
} from '../../domains/messaging/groups/group-changes.ts'
import { createGroup, findGroup, listGroups, updateGroup } from '../../domains/messaging/groups/group-store.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import type { Member } from '../../domains/messaging/people/member.ts'
import { accepted, invalid, requireFound } from '../../shared/request-errors.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { operation } from './operation.ts'
import { write, writePrepared } from './write.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the group does not exist, or the caller is not a member' }
const OWNER_ONLY = { ...UNKNOWN, 403: 'FORBIDDEN: the caller is not the owner' }
const DENIED = 'POLICY_DENIED, with audit_id: a policy at the point `message` denies a text'

const aboutOf = ({ workspaceId, user: author }: Member, now: Date) => ({ workspaceId, author, now })

const docs = {
  listGroups: operation('GET /v1/groups', 'listGroups', {
    summary: "List the caller's groups, newest first",
    query: ID_PAGE,
    answers: { 200: IdList(GroupView) },
  }),
  getGroup: operation('GET /v1/groups/:id', 'getGroup', {
    summary: 'Get a group',
    answers: { 200: GroupView },
    errors: UNKNOWN,
  }),
  createGroup: operation('POST /v1/groups', 'createGroup', {
    summary: 'Create a group that the caller owns',
    body: GroupCreate,
    answers: { 201: GroupView },
    errors: { 403: DENIED, 404: 'NOT_FOUND: one of the contacts' },
  }),
  updateGroup: operation('PUT /v1/groups/:id', 'updateGroup', {
    summary: 'Change a group',
    body: GroupUpdate,
    description: 'Missing fields stay unchanged. `contacts` replaces all members except the owner.',
    answers: { 200: GroupView },
    errors: { ...OWNER_ONLY, 403: `${OWNER_ONLY[403]}, or ${DENIED}` },
  }),
  deleteGroup: operation('DELETE /v1/groups/:id', 'deleteGroup', {
    summary: 'Delete a group, its conversations and their messages, permanently',
    answers: { 204: null },
    errors: OWNER_ONLY,
  }),
}

/** Groups. Only the owner can change a group. */
export function groupRoutes(app: TypedApp, deps: MessagingDeps): void {
  const { db } = deps

  handle(app, docs.listGroups, async ({ member, query, base }) => {
    const page = idPageOf(query)
    return idListOf(await listGroups(db, member, page), page, (group) => groupView(group, base))
  })

  handle(app, docs.getGroup, async ({ member, params, base }) =>
    groupView(requireFound(await findGroup(db, member, params.id), 'group'), base),
  )

  handle(app, docs.createGroup, async (request, reply) => {
    const { member, body, base, now } = request
    const { name, description = '', avatar_url: avatarUrl = null, contacts = [] } = body
    return writePrepared(request, reply, deps, {
      prepare: () => governFields(deps, aboutOf(member, now), { name, description, avatarUrl }),
      write: async (tx, { fields, settle }) => {
        const ownerId = member.user.id
        const members = accepted(await checkContacts(tx, member, [ownerId, ...contacts]))
        const group = await createGroup(tx, member.workspaceId, { ...fields, ownerId }, members, now)
        await emitGroup(tx, { member, base }, 'group.created', group)
        await settle(tx)
        return { status: 201, body: groupView(group, base) }
      },
    })
  })

  handle(app, docs.updateGroup, async (request, reply) => {
    const { member, params, body, base, now } = request
    const { name, description, avatar_url: avatarUrl, contacts, owner_id: ownerId } = body
    return writePrepared(request, reply, deps, {
      prepare: async () => {
        if ([name, description, avatarUrl, contacts, ownerId].every((field) => field === undefined)) {
          throw invalid({ param: '', message: 'must have name, description, avatar_url, contacts or owner_id' })
        }
        const { id: groupId } = accepted(ownedGroup(member, await findGroup(db, member, params.id)))
        return governFields(deps, { ...aboutOf(member, now), groupId }, { name, description, avatarUrl })
      },
      write: async (tx, { fields, settle }) => {
        const before = accepted(await lockOwnedGroup(tx, member, params.id))
        const ids = [ownerId ?? before.ownerId, ...(contacts ?? before.memberIds)]
        const members = accepted(await checkContacts(tx, member, ids))
        await updateGroup(tx, member.workspaceId, before.id, { ...fields, ownerId }, now)
        const group = await replaceMembers(tx, request, before, members)
        await settle(tx)
        return { status: 200, body: groupView(group, base) }
      },
    })
  })

  handle(app, docs.deleteGroup, async (request, reply) => {
    const { member, params, now } = request
    return write(request, reply, deps, async (tx) => {
      const group = accepted(await lockOwnedGroup(tx, member, params.id))
      await deleteGroupWithConversations(tx, member.workspaceId, group, now)
      return { status: 204 }
    })
  })
}
