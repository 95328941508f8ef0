import { Alert, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Outcome, outcomeOf } from '../../ui/outcome.tsx'
import type { StepError } from './chat.ts'

/** A refusal or failure. */
export function StepErrorAlert({ error: { status, code, message, requestId } }: { readonly error: StepError }) {
  const { t } = useTranslation('playground')
  const request = { status: status ?? 0, error_code: code }
  const outcome = outcomeOf(request)
  const isDecided = outcome === 'held' || outcome === 'denied'
  return (
    <Alert role="alert" color={outcome === 'held' ? 'yellow' : 'red'} variant="light">
      <Stack gap="xs">
        <Group gap="xs">
          <Outcome of={request} />
          {code && (
            <Text size="sm" fw={600}>
              {status} {code}
            </Text>
          )}
        </Group>
        <Text size="sm">{message}</Text>
        {!isDecided && requestId && (
          <Text size="xs" c="dimmed">
            {t('reply.requestId', { id: requestId })}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
