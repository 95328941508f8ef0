import { useChange } from '../../api/queries.ts'
import { NameButton } from '../../ui/name-button.tsx'

interface IssueKeyButtonProps {
  readonly applicationId: string
  /** Hears of the key, which nobody can read again. */
  readonly onIssued: (key: string) => void
}

export function IssueKeyButton({ applicationId: id, onIssued }: IssueKeyButtonProps) {
  const issue = useChange('post', '/admin/v1/applications/{id}/keys', {
    refresh: ['/admin/v1/applications/{id}/keys'],
    onDone: ({ key }) => onIssued(key),
  })
  return (
    <NameButton
      title="Issue a key"
      description="Where it will be used: you see later which one to revoke."
      action="Issue"
      onName={(name) => issue.mutateAsync({ params: { path: { id } }, body: { name } })}
    />
  )
}
