import { listWorkspaces } from '../../../domains/identity/workspace-store.ts'
import { findPerson } from '../../../domains/operators/operator-store.ts'
import { enterable, type Roles, scopesIn } from '../../../shared/access.ts'
import { ROLES, type Role } from '../../../shared/operator.ts'
import { VERSION } from '../../../version.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { operation } from '../kit/operation.ts'
import { SessionView } from './operator-shapes.ts'

const docs = operation(
  'GET /session',
  'getSession',
  'Get the current operator, the Workspaces that they can enter, and their roles and scopes',
  { scope: null, reach: 'any', answers: { 200: SessionView } },
)

/** A server with more Workspaces is searched by name. */
const MAX_WORKSPACES = 1_000

export function sessionRoutes(app: TypedApp, { db }: AdminDeps): void {
  handle(app, docs, async ({ operator: { id, kind, name, access } }) => {
    const person = kind === 'person' ? await findPerson(db, id) : undefined
    const workspaces = (await listWorkspaces(db, { limit: MAX_WORKSPACES }, enterable(access)))?.data ?? []
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
        id: workspace.id,
        name: workspace.name,
        role: person ? strongestRole(person.roles, workspace.id) : null,
        scopes: [...scopesIn(access, workspace.id)],
      })),
      version: VERSION,
    }
  })
}

/** The role that the dashboard shows: of the role in all Workspaces and the one in this Workspace the more powerful one. */
const strongestRole = ({ all, workspaces }: Roles, workspaceId: string): Role | null =>
  ROLES.find((role) => role === all || role === workspaces.get(workspaceId)) ?? null
