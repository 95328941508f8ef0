import { Stack, Text } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { formatPercent } from '../../ui/format-numbers.ts'
import { Time } from '../../ui/time.tsx'
import type { Count } from './budget.ts'

/** The alerts that were sent in the window, with their times. */
export function ReachedAlerts({ reached }: Pick<Count, 'reached'>) {
  const { t } = useTranslation('budgets')
  if (reached.length === 0)
    return (
      <Text span inherit c="dimmed">
        {t('window.none')}
      </Text>
    )
  return (
    <Stack component="span" gap={0}>
      {reached.map(({ fraction, at }) => (
        <span key={fraction}>
          <Trans
            ns="budgets"
            i18nKey="alertAt"
            values={{ percent: formatPercent(fraction, 1) }}
            components={{ time: <Time at={at} /> }}
          />
        </span>
      ))}
    </Stack>
  )
}
