import type { FastifyRequest } from 'fastify'
import { isStorable } from '../applications/shapes.ts'
import { findWorkspace, findWorkspaceByName, listWorkspaces } from '../applications/workspace-store.ts'
import type { Db } from '../db/database.ts'
import { GatehouseError } from '../errors.ts'
import { notFound } from './refusals.ts'

/**
 * An admin token serves the whole server: the request says which Workspace it is about, in the query (`workspace`) or in the
 * header `X-Gatehouse-Workspace`, by id or name. Who says nothing means the first, which most servers have no other beside.
 */
export function chooseWorkspace(db: Db) {
  return async (request: FastifyRequest): Promise<void> => {
    const query = (request.query as { workspace?: string }).workspace
    const choice = query ?? (request.headers['x-gatehouse-workspace'] as string | undefined)
    request.workspaceId = choice === undefined ? await firstWorkspace(db) : await named(db, choice)
  }
}

async function firstWorkspace(db: Db): Promise<string> {
  const [first] = (await listWorkspaces(db, { limit: 1 }))?.data ?? []
  if (!first) throw new GatehouseError('NOT_FOUND', { message: 'This server has no Workspace yet: create one.' })
  return first.id
}

async function named(db: Db, choice: string): Promise<string> {
  const found = isStorable(choice) && ((await findWorkspace(db, choice)) ?? (await findWorkspaceByName(db, choice)))
  if (!found) throw notFound('Workspace')
  return found.id
}
