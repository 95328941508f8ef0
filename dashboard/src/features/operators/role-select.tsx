import { Select } from '@mantine/core'
import { useChange } from '../../api/queries.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { ROLE_CHOICES, ROLE_NAMES } from '../../ui/roles.ts'
import type { Operator } from './operator.ts'

interface RoleSelectProps {
  readonly operator: Operator
  readonly readOnly: boolean
}

/** Changes a role. The server ends the operator's sessions. */
export function RoleSelect({ operator, readOnly }: RoleSelectProps) {
  const update = useChange('patch', '/admin/v1/operators/{id}', { refresh: ['/admin/v1/operators', '/admin/v1/session'] })
  if (readOnly) return ROLE_NAMES[operator.role]
  return (
    <Select
      aria-label={`Role of ${operator.name}`}
      size="xs"
      w={140}
      allowDeselect={false}
      data={ROLE_CHOICES}
      value={operator.role}
      disabled={update.isPending}
      onChange={(role) =>
        role &&
        update.mutate(
          { params: { path: { id: operator.id } }, body: { role } },
          { onSuccess: () => notifySuccess(`${operator.name}: ${ROLE_NAMES[role]}`), onError: notifyError },
        )
      }
    />
  )
}
