import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  checkUserCreate,
  checkUserPatch,
  UserCreate,
  UserPatch,
  UserView,
  userView,
  type WorkspaceUser,
} from '../../../domains/identity/user.ts'
import { createUser, findUser, listUsers, type UserChange, updateUser } from '../../../domains/identity/user-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { Line } from '../../../platform/lib/fields.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { notFound, taken, valid } from '../../../shared/refusals.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { changedFields } from '../kit/changed-fields.ts'
import { inWorkspace } from '../kit/operation.ts'

const CONFLICT = { 409: 'CONFLICT: the id or the username is taken' }
const UNKNOWN = { 404: 'NOT_FOUND: the user, or the Workspace' }

/** Filter of users. All fields are optional. */
const FILTER = {
  search: Type.Optional(Type.String({ ...Line, minLength: 1, description: 'Part of the id or username.' })),
  department: Type.Optional(Line),
  project: Type.Optional(Type.String({ ...Line, description: 'A project in the attribute `projects`.' })),
}

const docs = {
  list: inWorkspace('GET /users', 'listUsers', 'List the users of the Workspace, by id', {
    scope: 'people:read',
    query: { ...PAGE, ...FILTER },
    answers: { 200: List(UserView) },
  }),
  create: inWorkspace('POST /users', 'createUser', 'Create a user', {
    scope: 'people:write',
    description: 'Without `id`, the server generates one.',
    body: UserCreate,
    answers: { 201: UserView },
    errors: CONFLICT,
  }),
  get: inWorkspace('GET /users/:id', 'getUser', 'Get a user', {
    scope: 'people:read',
    answers: { 200: UserView },
    errors: UNKNOWN,
  }),
  update: inWorkspace('PATCH /users/:id', 'updateUser', 'Change a user', {
    scope: 'people:write',
    description: 'Missing fields stay unchanged. null clears a field. `attributes` is replaced as a whole.',
    body: UserPatch,
    answers: { 200: UserView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
}

/** Audit records identify users by keyed hash only (GW-AUD-2). */
const userHash =
  ({ id }: WorkspaceUser) =>
  (hasher: { user(id: string): string | null }): string =>
    hasher.user(id) ?? ''

type Author = Pick<FastifyRequest, 'operator' | 'workspaceId'>
interface GovernedName<U> {
  readonly username: GovernedString | Exclude<U, string>
  /** Writes the decision's audit record; last in the transaction that stores the names. */
  readonly settle: (tx: Tx) => Promise<void>
}

export interface UsersDeps extends ChangeDeps {
  /** Applies the policies at `message` to what other users read of a user. Throws POLICY_DENIED. */
  readonly governName: <U extends string | undefined>(
    author: Author,
    names: { readonly username: U; readonly id?: string | undefined },
  ) => Promise<GovernedName<U>>
  /** Sends the user's contact to the members who know the user, and to webhooks. */
  readonly announceUser: (
    tx: Tx,
    event: 'contact.created' | 'contact.updated',
    workspaceId: string,
    userId: string,
    base: string,
  ) => Promise<void>
}

export function usersRoutes(app: TypedApp, deps: UsersDeps): void {
  const { db } = deps

  handle(app, docs.list, async ({ workspaceId, query }) =>
    listOf(await listUsers(db, workspaceId, { ...query, ...pageOf(query) }), userView, ({ id }) => id),
  )

  handle(app, docs.create, async (request, reply) => {
    const create = valid(checkUserCreate(request.body))
    const { username, settle } = await deps.governName(request, create)
    const user = await change(deps, request, async (tx, now) => {
      const value = changedUser(await createUser(tx, request.workspaceId, { ...create, username }, now))
      await deps.announceUser(tx, 'contact.created', request.workspaceId, value.id, request.base)
      await settle(tx)
      return { value, action: 'user.create', id: userHash(value), fields: changedFields(UserCreate, create) }
    })
    return reply.status(201).send(userView(user))
  })

  handle(app, docs.get, async ({ workspaceId, params }) => {
    const user = await findUser(db, workspaceId, params.id)
    if (!user) throw notFound('user')
    return userView(user)
  })

  handle(app, docs.update, async (request) => {
    const patch = valid(checkUserPatch(request.body))
    const { username: newUsername, ...others } = patch
    const { username, settle } = await deps.governName(request, { username: newUsername })
    const user = await change(deps, request, async (tx, now) => {
      const value = changedUser(
        await updateUser(
          tx,
          request.workspaceId,
          request.params.id,
          { ...others, ...(username !== undefined && { username }) },
          now,
        ),
      )
      await deps.announceUser(tx, 'contact.updated', request.workspaceId, value.id, request.base)
      await settle(tx)
      return { value, action: 'user.update', id: userHash(value), fields: changedFields(UserPatch, patch) }
    })
    return userView(user)
  })
}

function changedUser(result: UserChange) {
  if (result.ok) return result.user
  if (result.reason === 'not_found') throw notFound('user')
  throw result.reason === 'id_taken' ? taken('id', 'User id') : taken('username', 'Username')
}
