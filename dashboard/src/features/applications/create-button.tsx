import { DEFAULT_EXTENSIONS } from '../../../../server/src/domain/client-snippets.ts'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { NameButton } from '../../ui/name-button.tsx'

/** Creates an Application and opens its keys. */
export function CreateButton() {
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/applications', {
    refresh: ['/admin/v1/applications'],
    onDone: ({ id }) => navigateTo(`/applications/${id}`, { tab: 'keys' }),
  })
  return (
    <NameButton
      title="Create Application"
      description="Policies and audit records use this name. Tools, content parts and the developer role are enabled. You can change all settings later."
      action="Create"
      onName={(name) => create.mutateAsync({ body: { name, settings: { extensions: [...DEFAULT_EXTENSIONS] } } })}
    />
  )
}
