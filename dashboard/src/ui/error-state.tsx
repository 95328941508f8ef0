import { Alert, Button, Code, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { describeError } from './describe-error.ts'

interface ErrorStateProps {
  readonly error: unknown
  readonly onRetry?: () => void
}

/** Shows an error with the request id for the server's log. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const { message, requestId } = describeError(error)
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle size={18} />} title="Something went wrong">
      <Text size="sm">{message}</Text>
      <Group mt="xs" gap="md">
        {requestId && (
          <Text size="xs" c="dimmed">
            Request ID <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  )
}
