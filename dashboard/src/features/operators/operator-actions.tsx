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
  const one = { params: { path: { id } } }
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <ConfirmButton
        aria-label={`New link for ${name}`}
        destructive={false}
        question={`A new link for ${name}?`}
        consequence={
          state === 'active'
            ? 'Whoever opens it chooses a new password; the second factor is gone then. Until it is opened nothing changes.'
            : 'The older link opens nothing any more.'
        }
        onConfirm={() => invite.mutateAsync(one)}
      >
        New link
      </ConfirmButton>
      <ConfirmButton
        aria-label={`Remove ${name}`}
        color="red"
        question={`Remove ${name}?`}
        consequence="Their sessions end at once. What they did stays in the audit log."
        onConfirm={() => remove.mutateAsync(one)}
      >
        Remove
      </ConfirmButton>
    </Group>
  )
}
