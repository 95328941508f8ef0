import type { FastifyInstance } from 'fastify'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { ListOf, listView, PAGE, pageQuery, unknownCursor } from '../door/pages.ts'
import { invalid, notFound } from '../door/refusals.ts'
import { readRoute, writeRoute } from '../door/route.ts'
import { GroupCreate, GroupUpdate, GroupView, groupView } from './group.ts'
import { checkMembers, ownGroup, removeGroup, setMembers, tellGroup } from './group-changes.ts'
import { createGroup, findGroup, listGroups, updateGroup } from './group-store.ts'

const UNKNOWN = { 404: 'NOT_FOUND: no such group, or the caller is not in it' }
const OWNERS = { ...UNKNOWN, 403: 'FORBIDDEN: the caller does not own it' }

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
      errors: { 404: 'NOT_FOUND: one of the contacts' },
    },
    body: GroupCreate,
    write: async (tx, { member, body, base, now }) => {
      const { name, description = '', avatar_url: avatarUrl = null, contacts = [] } = body
      const ownerId = member.user.id
      const members = await checkMembers(tx, member, [ownerId, ...contacts])
      const group = await createGroup(tx, member.workspaceId, { name, description, avatarUrl, ownerId }, members, now)
      await tellGroup(tx, { member, base }, 'group.created', group)
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
      errors: OWNERS,
    },
    body: GroupUpdate,
    write: async (tx, call) => {
      const { member, params, body, base, now } = call
      const { name, description, avatar_url: avatarUrl, contacts, owner_id: ownerId } = body
      if ([name, description, avatarUrl, contacts, ownerId].every((field) => field === undefined)) {
        throw invalid({ param: '', message: 'must name name, description, avatar_url, contacts or owner_id' })
      }
      const before = await ownGroup(tx, member, params.id ?? '')
      const owner = ownerId ?? before.ownerId
      const members = await checkMembers(tx, member, [owner, ...(contacts ?? before.memberIds)])
      await updateGroup(tx, member.workspaceId, before.id, { name, description, avatarUrl, ownerId }, now)
      return { status: 200, body: groupView(await setMembers(tx, call, before, members), base) }
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
