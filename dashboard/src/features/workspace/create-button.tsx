import { useChange } from '../../api/queries.ts'
import { useGo } from '../../routing/location.ts'
import { NameButton } from '../../ui/name-button.tsx'

/** Makes a Workspace and goes there. */
export function CreateButton() {
  const go = useGo()
  const create = useChange('post', '/admin/v1/workspaces', {
    refresh: ['/admin/v1/session'],
    onDone: ({ name }) => go('/settings/workspace', { workspace: name }),
  })
  return (
    <NameButton
      variant="default"
      title="New Workspace"
      description="It begins empty, with an audit log of its own"
      action="Create"
      onName={(name) => create.mutateAsync({ body: { name } })}
    />
  )
}
