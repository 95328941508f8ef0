import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { NameButton } from '../../ui/name-button.tsx'

/** Creates a Workspace and opens it. */
export function CreateButton() {
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/workspaces', {
    refresh: ['/admin/v1/session'],
    onDone: ({ name }) => navigateTo('/settings/workspace', { workspace: name }),
  })
  return (
    <NameButton
      variant="default"
      title="Create Workspace"
      description="The Workspace starts empty and has its own audit log."
      action="Create"
      onName={(name) => create.mutateAsync({ body: { name } })}
    />
  )
}
