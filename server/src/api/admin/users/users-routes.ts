import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { removeFromGroups } from '../../../domains/identity/group-store.ts'
import { removeTeamMember } from '../../../domains/identity/team-store.ts'
import {
  checkUserCreate,
  checkUserPatch,
  DepartmentView,
  ProjectView,
  UserCreate,
  UserPatch,
  UserView,
  userView,
  type WorkspaceUser,
} from '../../../domains/identity/user.ts'
import {
  createUser,
  findUser,
  listDepartments,
  listProjects,
  listUsers,
  updateUser,
} from '../../../domains/identity/user-store.ts'
import { governFields } from '../../../domains/messaging/governance/governed-fields.ts'
import {
  type AccessToken,
  AccessTokenCreate,
  AccessTokenView,
  accessTokenView,
  DEFAULT_TOKEN_NAME,
  IssuedAccessTokenView,
} from '../../../domains/messaging/people/access-token.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../../../domains/messaging/people/access-token-store.ts'
import { emitContact } from '../../../domains/messaging/people/contact-store.ts'
import { ACCESS_TOKENS_TOPIC } from '../../../domains/messaging/people/member.ts'
import { eraseUser, eraseUserContent } from '../../../domains/messaging/retention/erase-user.ts'
import { findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import { eraseViewsOfUser } from '../../../domains/views/view-store.ts'
import { isStorable, Line } from '../../../platform/lib/fields.ts'
import { accepted, notFound, requireFound, valid } from '../../../shared/request-errors.ts'
import { bodyOptional } from '../../kit/bodies.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'
import { operatorAuthor } from '../messaging/assistants-routes.ts'

const docs = {
  departments: inWorkspace('GET /departments', 'listDepartments', 'List the departments of users, by name', {
    scope: 'people:read',
    query: PAGE,
    answers: { 200: List(DepartmentView) },
  }),
  projects: inWorkspace('GET /projects', 'listProjects', 'List the projects in the attribute `projects` of users, by name', {
    scope: 'people:read',
    query: PAGE,
    answers: { 200: List(ProjectView) },
  }),
  erase: inWorkspace('DELETE /users/:id', 'eraseUser', 'Erase a user and all their data', {
    scope: 'people:write',
    description:
      'Permanently erases profile, tokens, memories, messages, reactions, files, saved views and stored budget alerts of this user. Audit records keep keyed hashes. The member who ' +
      "joined first becomes the owner of the user's groups. In direct conversations the other member keeps their own messages. A " +
      'valid user token creates the user again, without their former data.',
    answers: { 204: null },
    errors: { 404: 'NOT_FOUND: the user, or the Workspace' },
  }),
}

const FILTER = {
  search: Type.Optional(Type.String({ ...Line, minLength: 1, description: 'Part of the id or username.' })),
  department: Type.Optional(Line),
  project: Type.Optional(Type.String({ ...Line, description: 'A project in the attribute `projects`.' })),
}

/** Audit records identify users by keyed hash only (GW-AUD-2). */
const userHash =
  ({ id }: Pick<WorkspaceUser, 'id'>) =>
  (hasher: { user(id: string): string | null }): string =>
    hasher.user(id) ?? ''

export function usersRoutes(app: TypedApp, deps: AdminDeps): void {
  resource(app, deps, {
    noun: 'user',
    path: '/users',
    area: 'people',
    view: UserView,
    show: (rows: readonly WorkspaceUser[]) => rows.map(userView),
    taken: { id: 'User id', username: 'Username' },
    recordedId: userHash,
    list: {
      summary: 'List the users of the Workspace, by id',
      query: FILTER,
      read: (db, workspaceId, page, { query }) => listUsers(db, workspaceId, { ...query, ...page }),
    },
    get: { find: findUser },
    create: {
      description: 'Without `id`, the server generates one.',
      body: UserCreate,
      prepare: async (request) => {
        const create = valid(checkUserCreate(request.body))
        const { username, settle } = await governNames(deps, request, create)
        return async (tx, now) => {
          const created = await createUser(tx, request.workspaceId, { ...create, username }, now)
          if (!created.ok) return created
          await emitContact(tx, 'contact.created', request.workspaceId, created.user.id, request.base)
          await settle(tx)
          return created.user
        }
      },
    },
    update: {
      description: 'Missing fields stay unchanged. null clears a field. `attributes` is replaced as a whole.',
      body: UserPatch,
      prepare: async (request) => {
        const { workspaceId, params, base } = request
        const { username: newUsername, ...others } = valid(checkUserPatch(request.body))
        const { username, settle } = await governNames(deps, request, { username: newUsername })
        return async (tx, now) => {
          const patch = { ...others, ...(username !== undefined && { username }) }
          const updated = await updateUser(tx, workspaceId, params.id, patch, now)
          if (!updated.ok) return updated
          await emitContact(tx, 'contact.updated', workspaceId, updated.user.id, base)
          await settle(tx)
          return updated.user
        }
      },
    },
  })

  departmentRoutes(app, deps)
  erasureRoute(app, deps)
}

/** Applies the policies at `message` to what other users read of a user. Throws POLICY_DENIED. */
async function governNames<U extends string | undefined>(
  deps: AdminDeps,
  author: Pick<FastifyRequest, 'operator' | 'workspaceId'>,
  { username, id }: { readonly username: U; readonly id?: string | undefined },
) {
  // Other users read the id as well; transforms never change it.
  const { fields, settle } = accepted(await governFields(deps, operatorAuthor(author, deps), { username, id }))
  return { username: fields.username, settle }
}

const nameOf = ({ name }: { readonly name: string }): string => name

/** Departments and projects exist as long as a user has them: change the users. */
function departmentRoutes(app: TypedApp, { db }: AdminDeps): void {
  handle(app, docs.departments, async ({ workspaceId, query }) =>
    listOf(
      await listDepartments(db, workspaceId, pageOf(query)),
      (group) => ({ object: 'department' as const, ...group }),
      nameOf,
    ),
  )

  handle(app, docs.projects, async ({ workspaceId, query }) =>
    listOf(await listProjects(db, workspaceId, pageOf(query)), (group) => ({ object: 'project' as const, ...group }), nameOf),
  )
}

function erasureRoute(app: TypedApp, deps: AdminDeps): void {
  handle(app, docs.erase, async (request, reply) => {
    const { workspaceId, params, log } = request
    const erasure = await change(deps, request, async (tx, now) => {
      const value = { workspaceId, userId: params.id, erasedAt: now }
      if (!isStorable(params.id)) throw notFound('user')
      await eraseViewsOfUser(tx, workspaceId, params.id)
      const teams = await removeTeamMember(tx, workspaceId, params.id)
      const groups = await removeFromGroups(tx, workspaceId, params.id)
      if (!(await eraseUser(tx, value, request.base))) throw notFound('user')
      const caused = [
        ...teams.map((id) => ({ action: 'team.update' as const, id, fields: ['members'] })),
        ...groups.map((id) => ({ action: 'user_group.members' as const, id, fields: ['remove.users'] })),
      ]
      return { value, action: 'user.erase', id: userHash(params), caused, announce: [ACCESS_TOKENS_TOPIC, params.id] }
    })
    // The erasure is committed. If a step fails now, a job repeats it.
    await eraseUserContent(deps.db, erasure, deps.clock.now()).catch((err) =>
      log.error({ err }, 'part of the data of an erased user is not erased yet; a job repeats it'),
    )
    return reply.status(204).send()
  })
}

const OF_USER = { path: '/users/:id/tokens', errors: { 404: 'NOT_FOUND: the user, or the Workspace' } } as const

export function accessTokensRoutes(app: TypedApp, deps: ChangeDeps): void {
  const addAction = resource(app, deps, {
    noun: 'access_token',
    path: '/access-tokens',
    area: 'people',
    view: AccessTokenView,
    show: (rows: readonly AccessToken[]) => rows.map(accessTokenView),
    announce: (id) => [ACCESS_TOKENS_TOPIC, id],
    list: {
      ...OF_USER,
      summary: "List a user's tokens for the messaging API, including revoked tokens, oldest first",
      read: async (db, workspaceId, page, { params }) => {
        requireFound(await findUser(db, workspaceId, params.id), 'user')
        return listAccessTokens(db, workspaceId, params.id, page)
      },
    },
    create: {
      ...OF_USER,
      verb: 'issue',
      summary: 'Issue a token for the messaging API. Only this response contains it',
      description: "Not for assistants. The operator who issues a token cannot decide on the user's messages.",
      body: AccessTokenCreate,
      preValidation: bodyOptional,
      fields: ['name'],
      extra: { view: IssuedAccessTokenView, fields: ({ token }: AccessToken & { readonly token: string }) => ({ token }) },
      write: async (tx, { workspaceId, operator, params, body }, now) => {
        const issuer = await findResponsibleOperator(tx, operator.id)
        const { name = DEFAULT_TOKEN_NAME } = body
        return requireFound(await issueAccessToken(tx, workspaceId, params.id, name, now, issuer), 'user')
      },
    },
  })

  addAction({
    verb: 'revoke',
    summary: 'Revoke a token: immediately on this node, within a second on all others',
    description: 'Revoking a revoked token changes nothing.',
    fields: ['revoked_at'],
    write: (tx, { workspaceId, params }, now) => revokeAccessToken(tx, workspaceId, params.id, now),
  })
}
