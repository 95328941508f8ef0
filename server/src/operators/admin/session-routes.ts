import { operation } from '../../admin/kit/operation.ts'
import type { Db } from '../../db/database.ts'
import { handle, type TypedApp } from '../../http/route.ts'
import { findPerson } from '../operator-store.ts'
import { SessionView } from './operator-shapes.ts'

const docs = operation('GET /session', 'getSession', 'Get the current operator and their scopes', {
  scope: null,
  answers: { 200: SessionView },
})

/** Maximum number of Workspaces in the list. A server with more is searched by name. */
const MAX_WORKSPACES = 1_000

interface Deps {
  readonly db: Db
  /** Version of this release. */
  readonly version: string
  /** Id and name of the first `limit` Workspaces, oldest first. */
  readonly workspaceNames: (limit: number) => Promise<readonly { readonly id: string; readonly name: string }[]>
}

export function sessionRoutes(app: TypedApp, { db, version, workspaceNames }: Deps): void {
  handle(app, docs, async ({ operator: { id, kind, name, scopes } }) => {
    const person = kind === 'person' ? await findPerson(db, id) : undefined
    const workspaces = await workspaceNames(MAX_WORKSPACES)
    return {
      object: 'session',
      operator: {
        id,
        kind,
        name,
        email: person?.email ?? null,
        role: person?.role ?? null,
        two_factor: person?.twoFactor ?? false,
      },
      scopes: [...scopes],
      workspaces: [...workspaces],
      version,
    }
  })
}
