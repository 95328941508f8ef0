import { governFields } from '../../domains/messaging/governance/governed-fields.ts'
import { GroupCreate, GroupUpdate, GroupView, groupView } from '../../domains/messaging/groups/group.ts'
import {
  deleteGroupWithConversations,
  emitGroup,
  lockOwnedGroup,
  replaceMembers,
  requireContacts,
  requireOwner,
} from '../../domains/messaging/groups/group-changes.ts'
import { createGroup, findGroup, listGroups, updateGroup } from '../../domains/messaging/groups/group-store.ts'
import type { Member } from '../../domains/messaging/people/member.ts'
import { invalid, requireFound } from '../../shared/refusals.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { type Route, readRoute, writeRoute } from './route.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the group does not exist, or the caller is not a member' }
const OWNER_ONLY = { ...UNKNOWN, 403: 'FORBIDDEN: the caller is not the owner' }
const DENIED = 'POLICY_DENIED, with audit_id: a policy at the point `message` denies a text'

const aboutOf = ({ workspaceId, user: author }: Member, now: Date) => ({ workspaceId, author, now })

/** Groups. Only the owner can change a group. */
export const groupRoutes: readonly Route[] = [
  readRoute({
    target: 'GET /v1/groups',
    docs: {
      operationId: 'listGroups',
      summary: "List the caller's groups, newest first",
      query: ID_PAGE,
      answers: { 200: IdList(GroupView) },
    },
    handle: async ({ member, query, base }, { db }) => {
      const page = idPageOf(query)
      const found = await listGroups(db, member, page)
      return idListOf(found, page, (group) => groupView(group, base))
    },
  }),
  readRoute({
    target: 'GET /v1/groups/:id',
    docs: { operationId: 'getGroup', summary: 'Get a group', answers: { 200: GroupView }, errors: UNKNOWN },
    handle: async ({ member, params, base }, { db }) => {
      const group = requireFound(await findGroup(db, member, params.id ?? ''), 'group')
      return groupView(group, base)
    },
  }),
  writeRoute({
    target: 'POST /v1/groups',
    docs: {
      operationId: 'createGroup',
      summary: 'Create a group that the caller owns',
      answers: { 201: GroupView },
      errors: { 403: DENIED, 404: 'NOT_FOUND: one of the contacts' },
    },
    body: GroupCreate,
    prepare: ({ member, body, now }, deps) => {
      const { name, description = '', avatar_url: avatarUrl = null } = body
      return governFields(deps, aboutOf(member, now), { name, description, avatarUrl })
    },
    write: async (tx, { member, body: { contacts = [] }, base, now }, { fields, settle }) => {
      const ownerId = member.user.id
      const members = await requireContacts(tx, member, [ownerId, ...contacts])
      const group = await createGroup(tx, member.workspaceId, { ...fields, ownerId }, members, now)
      await emitGroup(tx, { member, base }, 'group.created', group)
      await settle(tx)
      return { status: 201, body: groupView(group, base) }
    },
  }),
  writeRoute({
    target: 'PUT /v1/groups/:id',
    docs: {
      operationId: 'updateGroup',
      summary: 'Change a group',
      description: 'Missing fields stay unchanged. `contacts` replaces all members except the owner.',
      answers: { 200: GroupView },
      errors: { ...OWNER_ONLY, 403: `${OWNER_ONLY[403]}, or ${DENIED}` },
    },
    body: GroupUpdate,
    prepare: async ({ member, params, body, now }, deps) => {
      const { name, description, avatar_url: avatarUrl, contacts, owner_id: ownerId } = body
      if ([name, description, avatarUrl, contacts, ownerId].every((field) => field === undefined)) {
        throw invalid({ param: '', message: 'must have name, description, avatar_url, contacts or owner_id' })
      }
      const group = requireFound(await findGroup(deps.db, member, params.id ?? ''), 'group')
      requireOwner(member, group)
      return governFields(deps, { ...aboutOf(member, now), groupId: group.id }, { name, description, avatarUrl })
    },
    write: async (tx, request, { fields, settle }) => {
      const { member, params, body, base, now } = request
      const { contacts, owner_id: ownerId } = body
      const before = await lockOwnedGroup(tx, member, params.id ?? '')
      const owner = ownerId ?? before.ownerId
      const members = await requireContacts(tx, member, [owner, ...(contacts ?? before.memberIds)])
      await updateGroup(tx, member.workspaceId, before.id, { ...fields, ownerId }, now)
      const group = await replaceMembers(tx, request, before, members)
      await settle(tx)
      return { status: 200, body: groupView(group, base) }
    },
  }),
  writeRoute({
    target: 'DELETE /v1/groups/:id',
    docs: {
      operationId: 'deleteGroup',
      summary: 'Delete a group, its conversations and their messages, permanently',
      answers: { 204: null },
      errors: OWNER_ONLY,
    },
    write: async (tx, { member, params, now }) => {
      await deleteGroupWithConversations(tx, member.workspaceId, await lockOwnedGroup(tx, member, params.id ?? ''), now)
      return { status: 204, body: undefined }
    },
  }),
]
