import { Group } from '@mantine/core'
import { useChange } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import type { Operator } from './operator.ts'

interface OperatorActionsProps {
  readonly operator: Operator
  readonly onLink: (url: string) => void
}

export function OperatorActions({ operator: { id, name, state }, onLink }: OperatorActionsProps) {
  const refresh = ['/admin/v1/operators']
  const invite = useChange('post', '/admin/v1/operators/{id}/invitation', { refresh, onDone: ({ url }) => onLink(url) })
  const remove = useChange('delete', '/admin/v1/operators/{id}', { refresh })
  const params = { path: { id } }
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <ConfirmButton
        aria-label={`Create link for ${name}`}
        destructive={false}
        question={`Create a new link for ${name}?`}
        consequence={
          state === 'active'
            ? 'The link resets password and two-factor authentication when it is used. Until then nothing changes.'
            : 'The previous link becomes invalid.'
        }
        onConfirm={() => invite.mutateAsync({ params })}
      >
        Create link
      </ConfirmButton>
      <ConfirmButton
        aria-label={`Remove ${name}`}
        color="red"
        question={`Remove ${name}?`}
        consequence="All sessions of the operator end immediately. The audit log keeps all records."
        onConfirm={() => remove.mutateAsync({ params })}
      >
        Remove
      </ConfirmButton>
    </Group>
  )
}
