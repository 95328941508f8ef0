import { checkWorkspaceCreate } from '../../domains/identity/workspace.ts'
import { newId } from '../../platform/lib/id.ts'
import { createNewWorkspace } from '../setup/apply-workspace.ts'
import { changeWorkspace } from '../setup/recorded-change.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse workspace create NAME`: prints the id to standard output. */
export async function workspaceCreate(terminal: Terminal, name: string): Promise<void> {
  const checked = checkWorkspaceCreate({ name })
  if (!checked.ok) throw new CommandFailure(`the name of the Workspace ${checked.problem.message}`)
  const id = newId('ws')
  await withDatabase(terminal, (context) =>
    changeWorkspace(context, id, async (applied) => {
      const created = await createNewWorkspace(applied, checked.value)
      if (!created) throw new CommandFailure(`there is a Workspace ${name} already: choose another name`)
      return [created]
    }),
  )
  terminal.out(id)
  terminal.note(`created the Workspace ${name}`)
}
