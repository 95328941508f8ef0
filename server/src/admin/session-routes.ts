import { listWorkspaces } from '../applications/workspace-store.ts'
import { findPerson } from '../operators/operator-store.ts'
import { VERSION } from '../version.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { operation } from './operation.ts'
import { SessionView } from './operator-shapes.ts'

const docs = operation('getSession', 'Who you are here, and what you may', {
  scope: null,
  query: {},
  answers: { 200: SessionView },
})

/** Most that a person chooses from; a server with more of them is asked by name. */
const MOST_WORKSPACES = 1_000

export function sessionRoutes(app: AdminApp, { db }: AdminDeps): void {
  app.get('/session', { schema: docs }, async ({ operator: { id, kind, name, scopes } }) => {
    const person = kind === 'person' ? await findPerson(db, id) : undefined
    const workspaces = (await listWorkspaces(db, { limit: MOST_WORKSPACES }))?.data ?? []
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
      workspaces: workspaces.map((workspace) => ({ id: workspace.id, name: workspace.name })),
      version: VERSION,
    }
  })
}
