import { Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import { useWorkspace } from '../api/workspace.ts'

/** The Workspace that all pages are about; with only one there is nothing to choose. */
export function WorkspaceChoice() {
  const workspaces = useSession().data?.workspaces ?? []
  const chosen = useWorkspace()
  const navigate = useNavigate()
  if (workspaces.length < 2) return null
  const value = workspaces.find(({ id, name }) => id === chosen || name === chosen) ?? workspaces[0]
  return (
    <Select
      aria-label="Workspace"
      size="sm"
      w={{ base: 120, xs: 180 }}
      allowDeselect={false}
      data={workspaces.map(({ name }) => name)}
      value={value?.name ?? null}
      // Another Workspace has other things: the page's own filters and ids would find nothing there.
      onChange={(workspace) => void navigate({ to: '/', search: { workspace } })}
    />
  )
}
