import { Stack, Text } from '@mantine/core'
import { formatPercent } from '../../ui/format-numbers.ts'
import { Time } from '../../ui/time.tsx'
import type { Count } from './budget.ts'

/** The alerts that were sent in the window, with their times. */
export function ReachedAlerts({ reached }: Pick<Count, 'reached'>) {
  if (reached.length === 0)
    return (
      <Text span inherit c="dimmed">
        None
      </Text>
    )
  return (
    <Stack component="span" gap={0}>
      {reached.map(({ fraction, at }) => (
        <span key={fraction}>
          {formatPercent(fraction, 1)}: <Time at={at} />
        </span>
      ))}
    </Stack>
  )
}
