import { findPerson } from '../../../domains/operators/operator-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import { enterable, type Roles, scopesIn } from '../../../shared/access.ts'
import { ROLES, type Role } from '../../../shared/operator.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { operation } from '../kit/operation.ts'
import { SessionView } from './operator-shapes.ts'

const docs = operation(
  'GET /session',
  'getSession',
  'Get the current operator, the Workspaces that they can enter, and their roles and scopes',
  { scope: null, reach: 'any', answers: { 200: SessionView } },
)

/** Maximum number of Workspaces in the list. A server with more is searched by name. */
const MAX_WORKSPACES = 1_000

interface Deps {
  readonly db: Db
  readonly version: string
  /** Id and name of the first `limit` Workspaces, oldest first. `ids`: only of these. */
  readonly workspaceNames: (
    limit: number,
    ids: readonly string[] | undefined,
  ) => Promise<readonly { readonly id: string; readonly name: string }[]>
}

export function sessionRoutes(app: TypedApp, { db, version, workspaceNames }: Deps): void {
  handle(app, docs, async ({ operator: { id, kind, name, access } }) => {
    const person = kind === 'person' ? await findPerson(db, id) : undefined
    const workspaces = await workspaceNames(MAX_WORKSPACES, enterable(access))
    return {
      object: 'session',
      operator: {
        id,
        kind,
        name,
        email: person?.email ?? null,
        role: person?.roles.all ?? null,
        two_factor: person?.twoFactor ?? false,
      },
      scopes: [...access.all],
      workspaces: workspaces.map((workspace) => ({
        ...workspace,
        role: person ? strongestRole(person.roles, workspace.id) : null,
        scopes: [...scopesIn(access, workspace.id)],
      })),
      version,
    }
  })
}

/** The role that the dashboard shows: of the role in all Workspaces and the one in this Workspace the more powerful one. */
const strongestRole = ({ all, workspaces }: Roles, workspaceId: string): Role | null =>
  ROLES.find((role) => role === all || role === workspaces.get(workspaceId)) ?? null
