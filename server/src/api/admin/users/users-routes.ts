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
import { createUser, findUser, listUsers, updateUser } from '../../../domains/identity/user-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { Line } from '../../../platform/lib/fields.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { valid } from '../../../shared/request-errors.ts'
import type { TypedApp } from '../../kit/route.ts'
import type { ChangeDeps } from '../kit/change.ts'
import { resource } from '../kit/resource.ts'

/** Filter of users. All fields are optional. */
const FILTER = {
  search: Type.Optional(Type.String({ ...Line, minLength: 1, description: 'Part of the id or username.' })),
  department: Type.Optional(Line),
  project: Type.Optional(Type.String({ ...Line, description: 'A project in the attribute `projects`.' })),
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
        const { username, settle } = await deps.governName(request, create)
        return async (tx, now) => {
          const created = await createUser(tx, request.workspaceId, { ...create, username }, now)
          if (!created.ok) return created
          await deps.announceUser(tx, 'contact.created', request.workspaceId, created.user.id, request.base)
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
        const { username, settle } = await deps.governName(request, { username: newUsername })
        return async (tx, now) => {
          const patch = { ...others, ...(username !== undefined && { username }) }
          const updated = await updateUser(tx, workspaceId, params.id, patch, now)
          if (!updated.ok) return updated
          await deps.announceUser(tx, 'contact.updated', workspaceId, updated.user.id, base)
          await settle(tx)
          return updated.user
        }
      },
    },
  })
}
