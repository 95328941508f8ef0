import { Type } from 'typebox'
import { type Group, GroupMemberView, GroupPut, GroupView, groupView, MembersChange } from '../../../domains/identity/group.ts'
import { GROUPS_TOPIC } from '../../../domains/identity/group-directory.ts'
import {
  changeMembers,
  cursorOfMember,
  deleteGroup,
  findGroup,
  listGroups,
  listMembers,
  putGroup,
} from '../../../domains/identity/group-store.ts'
import { Line } from '../../../platform/lib/fields.ts'
import { requireFound } from '../../../shared/request-errors.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { ChangeDeps } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'

const members = inWorkspace(
  'GET /user-groups/:id/members',
  'listUserGroupMembers',
  'List the users and groups that a group names',
  {
    scope: 'people:read',
    query: PAGE,
    answers: { 200: List(GroupMemberView) },
    errors: { 404: 'NOT_FOUND: the group, or the Workspace' },
  },
)

export function groupsRoutes(app: TypedApp, deps: ChangeDeps): void {
  handle(app, members, async ({ workspaceId, params, query }) => {
    requireFound(await findGroup(deps.db, workspaceId, params.id), 'user group')
    const page = await listMembers(deps.db, workspaceId, params.id, pageOf(query))
    return listOf(page, (member) => ({ object: 'user_group_member' as const, ...member }), cursorOfMember)
  })

  const addAction = resource(app, deps, {
    noun: 'user_group',
    path: '/user-groups',
    area: 'people',
    view: GroupView,
    show: (rows: readonly Group[]) => rows.map(groupView),
    announce: (_, workspaceId) => [GROUPS_TOPIC, workspaceId],
    list: {
      summary: 'List the groups of users for access lists and policies, by id',
      query: {
        source: Type.Optional(Line),
        user: Type.Optional(
          Type.String({ ...Line, description: 'Id of a user: only groups that the user belongs to, also over other groups.' }),
        ),
      },
      read: (db, workspaceId, page, { query }) => listGroups(db, workspaceId, { ...query, ...page }),
    },
    get: { find: findGroup },
    create: {
      summary: 'Create a group or change its fields',
      description:
        'The id is the name under which access lists (`groups`), policies (`user.groups`) and the claim `groups` of user tokens know it. Missing fields stay unchanged. Its members stay.',
      body: GroupPut,
      write: (tx, { workspaceId, body }, now) => putGroup(tx, workspaceId, body, now),
    },
    remove: {
      summary: 'Delete a group',
      description: 'Documents that name it are no longer visible to its members. Groups that contain it keep its id.',
      remove: deleteGroup,
    },
  })

  addAction({
    verb: 'members',
    operationId: 'changeUserGroupMembers',
    summary: 'Add members to a group and remove others, up to 1,000 of each kind',
    description:
      'Repeating a request changes nothing. A user need not be stored: the id is that of user tokens and identity assertions. Changes apply within a second on all nodes.',
    body: MembersChange,
    write: (tx, { workspaceId, params, body }, now) => changeMembers(tx, workspaceId, params.id, body, now),
  })
}
