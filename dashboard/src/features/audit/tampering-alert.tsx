import { Alert, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useRead } from '../../api/queries.ts'
import { Link } from '../../ui/link.tsx'

/** Shown while the server detects tampering with the audit log. */
export function TamperingAlert() {
  const { data } = useRead('/admin/v1/audit/state')
  const problem = data?.first_bad
  if (!problem) return null
  return (
    <Alert
      role="alert"
      color="red"
      mb="md"
      icon={<IconAlertTriangle size={18} />}
      title="The audit log was tampered with or is damaged"
    >
      <Text size="sm">
        {positionOf(problem)}: {problem.message}.
        {problem.id && (
          <>
            {' '}
            <Link to={`/audit/${problem.id}`} inherit>
              {problem.id}
            </Link>
          </>
        )}
      </Text>
      <Text size="sm">
        No checkpoint is signed until an operator runs <code>gatehouse audit resume</code>. Back up the database first; see the
        operations guide.
      </Text>
    </Alert>
  )
}

function positionOf({ sequence, through }: { readonly sequence: number; readonly through?: number }): string {
  if (sequence === 0) return "The Workspace's keys"
  return through === undefined ? `Record ${sequence}` : `Records ${sequence} to ${through}`
}
