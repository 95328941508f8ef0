import { Type } from 'typebox'
import { Line } from '../applications/shapes.ts'
import {
  checkUserCreate,
  checkUserPatch,
  UserCreate,
  UserPatch,
  UserView,
  userView,
  type WorkspaceUser,
} from '../applications/user.ts'
import { createUser, findUser, listUsers, type UserChange, updateUser } from '../applications/user-store.ts'
import type { KeyedHasher } from '../audit/hashes.ts'
import { governFields } from '../messaging/governance/governed-fields.ts'
import { tellContact } from '../messaging/people/tell-contact.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { aboutOf } from './governed-by-operator.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { notFound, taken, valid } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const CONFLICT = { 409: 'CONFLICT: the id or the username is taken' }
const UNKNOWN = { 404: 'NOT_FOUND: the user, or the Workspace' }

/** Which users; what is left out narrows nothing. */
const FILTER = {
  search: Type.Optional(Type.String({ ...Line, minLength: 1, description: 'Part of the id or of the username.' })),
  department: Type.Optional(Line),
  project: Type.Optional(Type.String({ ...Line, description: 'One of their attribute `projects`.' })),
}

const docs = {
  list: inWorkspace('listUsers', 'Users of the Workspace, by id', {
    scope: 'people:read',
    query: { ...PAGE, ...FILTER },
    answers: { 200: List(UserView) },
  }),
  create: inWorkspace('createUser', 'Create a user', {
    scope: 'people:write',
    description: 'Without an `id` one is made.',
    query: {},
    body: UserCreate,
    answers: { 201: UserView },
    errors: CONFLICT,
  }),
  get: inWorkspace('getUser', 'One user', {
    scope: 'people:read',
    query: {},
    params: pathOf('id'),
    answers: { 200: UserView },
    errors: UNKNOWN,
  }),
  update: inWorkspace('updateUser', 'Change a user', {
    scope: 'people:write',
    description: 'What is left out stays, null empties; `attributes` is replaced as a whole.',
    query: {},
    params: pathOf('id'),
    body: UserPatch,
    answers: { 200: UserView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
}

/** Records name users by their keyed hash only (decisions.md §2.9). */
const hashed =
  ({ id }: WorkspaceUser) =>
  (hasher: KeyedHasher): string =>
    hasher.user(id) ?? ''

/** Others read the id as well; it is never transformed. */
const namesOf = ({ id, username }: UserCreate) => ({ username, id })

export function usersRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db } = deps

  app.get('/users', { schema: docs.list }, async ({ workspaceId, query }) =>
    listOf(await listUsers(db, workspaceId, { ...query, ...pageOf(query) }), userView, ({ id }) => id),
  )

  app.post('/users', { schema: docs.create }, async (request, reply) => {
    const create = valid(checkUserCreate(request.body))
    const { fields, settle } = await governFields(deps, aboutOf(request, deps), namesOf(create))
    const user = await change(deps, request, async (tx, now) => {
      const value = changed(await createUser(tx, request.workspaceId, { ...create, username: fields.username }, now))
      await tellContact(tx, 'contact.created', request.workspaceId, value.id, request.base)
      await settle(tx)
      return { value, action: 'user.create', id: hashed(value), fields: changedFields(UserCreate, create) }
    })
    return reply.status(201).send(userView(user))
  })

  app.get('/users/:id', { schema: docs.get }, async ({ workspaceId, params }) => {
    const user = await findUser(db, workspaceId, params.id)
    if (!user) throw notFound('user')
    return userView(user)
  })

  app.patch('/users/:id', { schema: docs.update }, async (request) => {
    const patch = valid(checkUserPatch(request.body))
    const { fields, settle } = await governFields(deps, aboutOf(request, deps), { username: patch.username })
    const user = await change(deps, request, async (tx, now) => {
      const value = changed(await updateUser(tx, request.workspaceId, request.params.id, { ...patch, ...fields }, now))
      await tellContact(tx, 'contact.updated', request.workspaceId, value.id, request.base)
      await settle(tx)
      return { value, action: 'user.update', id: hashed(value), fields: changedFields(UserPatch, patch) }
    })
    return userView(user)
  })
}

function changed(result: UserChange) {
  if (result.ok) return result.user
  if (result.reason === 'not_found') throw notFound('user')
  throw result.reason === 'id_taken' ? taken('id', 'a user of that id') : taken('username', 'a user of that username')
}
