import type { FastifyRequest } from 'fastify'
import { findWorkspaceId, listWorkspaces } from '../../../domains/identity/workspace-store.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Db } from '../../../platform/db/database.ts'
import { type Access, enterable, mayEnter } from '../../../shared/access.ts'
import { notFound } from '../../../shared/request-errors.ts'
import { enterWorkspace } from './require-scope.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Admin API, routes within a Workspace: its id (`ws_…`). */
    workspaceId: string
  }
}

/**
 * Hook that sets the Workspace of an admin request from the query (`workspace`) or the header `X-Gatehouse-Workspace`, by id or
 * name, and checks the scope in it. Default: the first Workspace that the operator may enter, the only one on most servers.
 */
export function chooseWorkspace(db: Db) {
  return async (request: FastifyRequest): Promise<void> => {
    const query = (request.query as { workspace?: string }).workspace
    const choice = query ?? (request.headers['x-gatehouse-workspace'] as string | undefined)
    const { access } = request.operator
    enterWorkspace(request, choice === undefined ? await firstWorkspace(db, access) : await resolveWorkspace(db, choice, access))
  }
}

async function firstWorkspace(db: Db, access: Access): Promise<string> {
  const ids = enterable(access)
  if (ids) return ids[0] ?? ''
  const [first] = (await listWorkspaces(db, { limit: 1 }))?.data ?? []
  if (!first)
    throw new GatehouseError('NOT_FOUND', {
      message: 'This server has no Workspace yet. Create one in the dashboard, or with `gatehouse workspace create NAME`.',
    })
  return first.id
}

/** The id of the Workspace with this id or name. Throws a 404, also if the operator must not know that it exists. */
export async function resolveWorkspace(db: Db, choice: string, access: Access): Promise<string> {
  const id = await findWorkspaceId(db, choice)
  if (id === undefined || !mayEnter(access, id)) throw notFound('Workspace')
  return id
}
