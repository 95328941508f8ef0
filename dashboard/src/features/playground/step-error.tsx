import { Alert, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { VERDICT_OF_ERROR, Verdict } from '../../ui/verdict.tsx'
import type { StepError } from './chat.ts'

/** A refusal or failure. */
export function StepErrorAlert({ error: { status, code, message, requestId } }: { readonly error: StepError }) {
  const { t } = useTranslation('playground')
  const verdict = code === undefined ? undefined : VERDICT_OF_ERROR[code]
  return (
    <Alert role="alert" color={verdict === 'require_approval' ? 'yellow' : 'red'} variant="light">
      <Stack gap="xs">
        <Group gap="xs">
          <Verdict verdict={verdict} />
          {code && (
            <Text size="sm" fw={600}>
              {status} {code}
            </Text>
          )}
        </Group>
        <Text size="sm">{message}</Text>
        {!verdict && requestId && (
          <Text size="xs" c="dimmed">
            {t('reply.requestId', { id: requestId })}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
