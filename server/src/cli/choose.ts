import type { Db } from '../db/database.ts'
import type { ApplicationRecord } from '../identity/application.ts'
import { findApplicationByName, listApplications } from '../identity/application-store.ts'
import type { Workspace } from '../identity/workspace.ts'
import { listWorkspaces } from '../identity/workspace-store.ts'
import { CommandProblem } from './command.ts'

export const ALL = { limit: 100_000 }

export async function allWorkspaces(db: Db): Promise<readonly Workspace[]> {
  return (await listWorkspaces(db, ALL))?.data ?? []
}

/** The Workspace of that name; without a name the only one there is. */
export async function chooseWorkspace(db: Db, name: string | undefined): Promise<Workspace> {
  const all = await allWorkspaces(db)
  const [only] = all
  const chosen = name === undefined ? (all.length === 1 ? only : undefined) : all.find((workspace) => workspace.name === name)
  if (chosen) return chosen
  if (!only) throw new CommandProblem('there is no Workspace yet: `gatehouse apply` makes those that gatehouse.yaml declares')
  const names = all.map((workspace) => workspace.name).join(', ')
  throw new CommandProblem(
    name === undefined ? `which Workspace? Choose with --workspace: ${names}` : `there is no Workspace ${name}, but ${names}`,
  )
}

export async function chooseApplication(db: Db, workspace: Workspace, name: string): Promise<ApplicationRecord> {
  const found = await findApplicationByName(db, workspace.id, name)
  if (found) return found
  const all = (await listApplications(db, workspace.id, ALL))?.data ?? []
  const names = all.map((application) => application.name).join(', ') || 'none'
  throw new CommandProblem(`there is no Application ${name} in ${workspace.name}; there are: ${names}`)
}
