import type { FastifyInstance } from 'fastify'
import type { Member } from '../door/member.ts'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { ListOf, listView, PAGE, pageQuery, unknownCursor } from '../door/pages.ts'
import { invalid, notFound } from '../door/refusals.ts'
import { readRoute, writeRoute } from '../door/route.ts'
import { governFields } from '../governance/governed-fields.ts'
import { GroupCreate, GroupUpdate, GroupView, groupView } from './group.ts'
import { checkMembers, ownedBy, ownGroup, removeGroup, setMembers, tellGroup } from './group-changes.ts'
import { createGroup, findGroup, listGroups, updateGroup } from './group-store.ts'

const UNKNOWN = { 404: 'NOT_FOUND: no such group, or the caller is not in it' }
const OWNERS = { ...UNKNOWN, 403: 'FORBIDDEN: the caller does not own it' }
const DENIED = 'POLICY_DENIED, with audit_id: the policies at `message` refuse a text of it'

const aboutOf = ({ workspaceId, user: author }: Member, now: Date) => ({ workspaceId, author, now })

/** Groups of their members; only the owner changes them. */
export function groupRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/groups',
    docs: {
      operationId: 'listGroups',
      summary: "The caller's groups, newest first",
      query: PAGE,
      answers: { 200: ListOf(GroupView) },
    },
    handle: async ({ member, query, base }, { db }) => {
      const page = pageQuery(query)
      const found = await listGroups(db, member, page)
      if (!found) throw unknownCursor(page)
      return listView(found, (group) => groupView(group, base))
    },
  })

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/groups/:id',
    docs: { operationId: 'getGroup', summary: 'One group', answers: { 200: GroupView }, errors: UNKNOWN },
    handle: async ({ member, params, base }, { db }) => {
      const group = await findGroup(db, member, params.id ?? '')
      if (!group) throw notFound('group')
      return groupView(group, base)
    },
  })

  writeRoute(app, deps, {
    method: 'POST',
    path: '/v1/groups',
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
      const members = await checkMembers(tx, member, [ownerId, ...contacts])
      const group = await createGroup(tx, member.workspaceId, { ...fields, ownerId }, members, now)
      await tellGroup(tx, { member, base }, 'group.created', group)
      await settle(tx)
      return { status: 201, body: groupView(group, base) }
    },
  })

  writeRoute(app, deps, {
    method: 'PUT',
    path: '/v1/groups/:id',
    docs: {
      operationId: 'updateGroup',
      summary: 'Change a group',
      description: 'What is left out stays; `contacts` replaces all members but the owner.',
      answers: { 200: GroupView },
      errors: { ...OWNERS, 403: `${OWNERS[403]}, or ${DENIED}` },
    },
    body: GroupUpdate,
    prepare: async ({ member, params, body, now }, deps) => {
      const { name, description, avatar_url: avatarUrl, contacts, owner_id: ownerId } = body
      if ([name, description, avatarUrl, contacts, ownerId].every((field) => field === undefined)) {
        throw invalid({ param: '', message: 'must name name, description, avatar_url, contacts or owner_id' })
      }
      const group = await findGroup(deps.db, member, params.id ?? '')
      if (!group) throw notFound('group')
      ownedBy(member, group)
      return governFields(deps, { ...aboutOf(member, now), groupId: group.id }, { name, description, avatarUrl })
    },
    write: async (tx, call, { fields, settle }) => {
      const { member, params, body, base, now } = call
      const { contacts, owner_id: ownerId } = body
      const before = await ownGroup(tx, member, params.id ?? '')
      const owner = ownerId ?? before.ownerId
      const members = await checkMembers(tx, member, [owner, ...(contacts ?? before.memberIds)])
      await updateGroup(tx, member.workspaceId, before.id, { ...fields, ownerId }, now)
      const group = await setMembers(tx, call, before, members)
      await settle(tx)
      return { status: 200, body: groupView(group, base) }
    },
  })

  writeRoute(app, deps, {
    method: 'DELETE',
    path: '/v1/groups/:id',
    docs: {
      operationId: 'deleteGroup',
      summary: 'Delete a group with its conversations and their messages, for good',
      answers: { 204: null },
      errors: OWNERS,
    },
    write: async (tx, { member, params, now }) => {
      await removeGroup(tx, member.workspaceId, await ownGroup(tx, member, params.id ?? ''), now)
      return { status: 204, body: undefined }
    },
  })
}
