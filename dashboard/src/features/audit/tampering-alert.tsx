import { Alert, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useRead } from '../../api/queries.ts'
import { Link } from '../../ui/link.tsx'

/** Shown while the server finds that the log is not the one it has written. */
export function TamperingAlert() {
  const { data } = useRead('/admin/v1/audit/state')
  const bad = data?.first_bad
  if (!bad) return null
  return (
    <Alert
      role="alert"
      color="red"
      mb="md"
      icon={<IconAlertTriangle size={18} />}
      title="The audit log was tampered with, or damaged"
    >
      <Text size="sm">
        {placeOf(bad)}: {bad.message}.
        {bad.id && (
          <>
            {' '}
            <Link to={`/audit/${bad.id}`} inherit>
              {bad.id}
            </Link>
          </>
        )}
      </Text>
      <Text size="sm">
        No checkpoint is signed until an operator runs <code>gatehouse audit resume</code>. First keep a copy of the database; the
        operations guide says what to do.
      </Text>
    </Alert>
  )
}

function placeOf({ sequence, through }: { readonly sequence: number; readonly through?: number }): string {
  if (sequence === 0) return "The Workspace's keys"
  return through === undefined ? `Record ${sequence}` : `Records ${sequence} to ${through}`
}
