import { Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import { useWorkspace } from '../api/workspace.ts'

/** Selects the Workspace of all pages. Hidden if there is only one. */
export function WorkspaceSelect() {
  const workspaces = useSession().data?.workspaces ?? []
  const workspace = useWorkspace()
  const navigate = useNavigate()
  if (workspaces.length < 2) return null
  const value = workspaces.find(({ id, name }) => id === workspace || name === workspace) ?? workspaces[0]
  return (
    <Select
      aria-label="Workspace"
      size="sm"
      w={{ base: 120, xs: 180 }}
      allowDeselect={false}
      data={workspaces.map(({ name }) => name)}
      value={value?.name ?? null}
      // Filters and ids of the current page do not exist in another Workspace.
      onChange={(workspace) => void navigate({ to: '/', search: { workspace } })}
    />
  )
}
