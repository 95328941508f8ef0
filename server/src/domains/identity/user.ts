import { type Static, Type } from 'typebox'
import type { Entity } from '../../platform/db/from-row.ts'
import { Line, Name, resettable, Timestamp, withStorable } from '../../platform/lib/fields.ts'
import { type Checked, checker } from '../../platform/lib/schema.ts'
import { viewOf } from '../../platform/lib/view.ts'

const MAX_ATTRIBUTES = 16_384

/** A stored user of a Workspace. For a request with a user token, the claims of the token apply instead (user-token.ts). */
export type WorkspaceUser = Entity<'workspace_user'>

const fields = {
  role: resettable(Line),
  department: resettable(Line),
  attributes: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], description: 'Free-form. Policies can read it.' }),
  ),
}

/** Body of `POST /admin/v1/users`. The server generates a missing `id`. */
export const UserCreate = Type.Object({ id: Type.Optional(Name), username: Name, ...fields })
export type UserCreate = Static<typeof UserCreate>

/** Body of `PATCH /admin/v1/users/:id`. Missing fields stay unchanged, null clears a field. `attributes` is replaced. */
export const UserPatch = Type.Object({ username: Type.Optional(Name), ...fields })
export type UserPatch = Static<typeof UserPatch>

const createChecker = checker(UserCreate)
const patchChecker = checker(UserPatch)
export const checkUserCreate = (body: unknown): Checked<UserCreate> => checkAttributesSize(createChecker(body))
export const checkUserPatch = (body: unknown): Checked<UserPatch> => checkAttributesSize(patchChecker(body))

const checkAttributesSize = <T extends UserPatch>(checked: Checked<T>): Checked<T> =>
  withStorable(checked, 'attributes', ({ attributes }) => attributes, MAX_ATTRIBUTES)

export const UserView = Type.Object({
  id: Type.String(),
  object: Type.Literal('user'),
  workspace_id: Type.String(),
  username: Type.String(),
  role: Type.String(),
  department: Type.String(),
  attributes: Type.Record(Type.String(), Type.Unknown()),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const userView = (user: WorkspaceUser) => viewOf(UserView, user)

export const DepartmentView = Type.Object({
  object: Type.Literal('department'),
  name: Type.String(),
  users: Type.Integer({ description: 'Number of users.' }),
})
export const ProjectView = Type.Object({ ...DepartmentView.properties, object: Type.Literal('project') })
