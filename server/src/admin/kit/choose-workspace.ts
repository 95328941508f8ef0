import type { FastifyRequest } from 'fastify'
import type { Db } from '../../db/database.ts'
import { GatehouseError } from '../../errors.ts'
import { notFound } from '../../http/refusals.ts'
import { findWorkspace, findWorkspaceByName, listWorkspaces } from '../../identity/workspace-store.ts'
import { isStorable } from '../../lib/fields.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Admin API, routes within a Workspace: its id (`ws_…`). */
    workspaceId: string
  }
}

/**
 * Hook that sets the Workspace of an admin request from the query (`workspace`) or the header `X-Gatehouse-Workspace`, by id or
 * name. Default: the first Workspace, the only one on most servers.
 */
export function chooseWorkspace(db: Db) {
  return async (request: FastifyRequest): Promise<void> => {
    const query = (request.query as { workspace?: string }).workspace
    const choice = query ?? (request.headers['x-gatehouse-workspace'] as string | undefined)
    request.workspaceId = choice === undefined ? await firstWorkspace(db) : await resolveWorkspace(db, choice)
  }
}

async function firstWorkspace(db: Db): Promise<string> {
  const [first] = (await listWorkspaces(db, { limit: 1 }))?.data ?? []
  if (!first) throw new GatehouseError('NOT_FOUND', { message: 'This server has no Workspace. Create one.' })
  return first.id
}

/** The id of the Workspace with this id or name. Throws a 404. */
export async function resolveWorkspace(db: Db, choice: string): Promise<string> {
  const found = isStorable(choice) && ((await findWorkspace(db, choice)) ?? (await findWorkspaceByName(db, choice)))
  if (!found) throw notFound('Workspace')
  return found.id
}
