import { useChange } from '../../api/queries.ts'
import { useGo } from '../../routing/location.ts'
import { NameButton } from '../../ui/name-button.tsx'

/** Creates an Application and goes to its keys: it is of no use without one. */
export function CreateButton() {
  const go = useGo()
  const create = useChange('post', '/admin/v1/applications', {
    refresh: ['/admin/v1/applications'],
    onDone: ({ id }) => go(`/applications/${id}`, { tab: 'keys' }),
  })
  return (
    <NameButton
      title="New Application"
      description="Policies and records call it so. Everything else has a default and can be changed later."
      action="Create"
      onName={(name) => create.mutateAsync({ body: { name } })}
    />
  )
}
