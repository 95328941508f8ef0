import type { ApplicationRecord } from '../../domains/identity/application.ts'
import { findApplicationByName, listApplications } from '../../domains/identity/application-store.ts'
import type { Workspace } from '../../domains/identity/workspace.ts'
import { listWorkspaces } from '../../domains/identity/workspace-store.ts'
import type { Db } from '../../platform/db/database.ts'
import { ALL_ROWS } from '../../platform/db/page.ts'
import { CommandFailure } from './terminal.ts'

export async function listAllWorkspaces(db: Db): Promise<readonly Workspace[]> {
  return (await listWorkspaces(db, ALL_ROWS))?.data ?? []
}

export async function chooseWorkspace(db: Db, name: string | undefined): Promise<Workspace> {
  const all = await listAllWorkspaces(db)
  const [only] = all
  const chosen = name === undefined ? (all.length === 1 ? only : undefined) : all.find((workspace) => workspace.name === name)
  if (chosen) return chosen
  if (!only) throw new CommandFailure('there is no Workspace yet: create one with `gatehouse workspace create NAME`')
  const names = all.map((workspace) => workspace.name).join(', ')
  throw new CommandFailure(
    name === undefined
      ? `there are several Workspaces. Choose one with --workspace: ${names}`
      : `there is no Workspace ${name}. The Workspaces are ${names}`,
  )
}

export const chooseWorkspaces = async (db: Db, name: string | undefined): Promise<readonly Workspace[]> =>
  name === undefined ? listAllWorkspaces(db) : [await chooseWorkspace(db, name)]

export async function chooseApplication(db: Db, workspace: Workspace, name: string): Promise<ApplicationRecord> {
  const found = await findApplicationByName(db, workspace.id, name)
  if (found) return found
  const all = (await listApplications(db, workspace.id, ALL_ROWS))?.data ?? []
  const names = all.map((application) => application.name).join(', ') || 'none'
  throw new CommandFailure(`there is no Application ${name} in ${workspace.name}. Its Applications: ${names}`)
}
