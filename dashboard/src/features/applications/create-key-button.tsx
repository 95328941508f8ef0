import { useChange } from '../../api/queries.ts'
import { NameButton } from '../../ui/name-button.tsx'

interface CreateKeyButtonProps {
  readonly applicationId: string
  /** Called with the key, which cannot be read again. */
  readonly onCreated: (key: string) => void
}

export function CreateKeyButton({ applicationId: id, onCreated }: CreateKeyButtonProps) {
  const create = useChange('post', '/admin/v1/applications/{id}/keys', {
    refresh: ['/admin/v1/applications/{id}/keys'],
    onDone: ({ key }) => onCreated(key),
  })
  return (
    <NameButton
      title="Create key"
      description="Where the key is used, for example “production”."
      action="Create"
      onName={(name) => create.mutateAsync({ params: { path: { id } }, body: { name } })}
    />
  )
}
