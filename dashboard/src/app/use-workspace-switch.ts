import { useNavigate } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import { useWorkspace } from '../api/workspace.ts'

/** The Workspaces of the operator and the one that the pages show. */
export function useWorkspaceSwitch() {
  const workspaces = useSession().data?.workspaces ?? []
  const workspace = useWorkspace()
  const navigate = useNavigate()
  return {
    workspaces,
    current: workspaces.find(({ id, name }) => id === workspace || name === workspace) ?? workspaces[0],
    // Filters and ids of the current page do not exist in another Workspace.
    switchTo: (workspace: string) => void navigate({ to: '/', search: { workspace } }),
  }
}
