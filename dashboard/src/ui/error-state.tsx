import { Alert, Button, Code, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { describeError } from './describe-error.ts'
import { NotFound } from './not-found.tsx'

interface ErrorStateProps {
  /** Names the failure: "Connection failed". */
  readonly title?: string
  readonly error: unknown
  readonly onRetry?: () => void
}

/** Shows an error with the request id for the server's log, or that the object of the page does not exist. */
export function ErrorState({ title, error, onRetry }: ErrorStateProps) {
  const { t } = useTranslation('ui')
  const { message, requestId } = describeError(error)
  if ((error as { status?: unknown } | null)?.status === 404) return <NotFound title={message.replace(/\.$/, '')} />
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle size={18} />} title={title ?? t('error.title')}>
      <Text size="sm">{message}</Text>
      <Group mt="xs" gap="md">
        {requestId && (
          <Text size="xs" c="dimmed">
            {t('error.requestId')} <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('error.retry')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
