import { Group, Progress, Stack, Text } from '@mantine/core'
import { type Budget, formatAmount } from './budget.ts'

const PERCENT = 100

/** The share of the limit that is spent, and the share that running requests have reserved. */
export function BudgetBar({ name, unit, limit, alerts, scope, member, current }: Budget) {
  const share = (amount: number) => (limit === 0 ? PERCENT : Math.min(PERCENT, (PERCENT * amount) / limit))
  const spent = share(current.spent)
  const reached = alerts.filter((fraction) => current.spent >= fraction * limit).length
  const color = reached === 0 ? 'blue' : current.left === 0 ? 'red' : 'yellow'
  const isEach = member === null && scope !== 'workspace'
  return (
    <Stack gap={4}>
      <Progress.Root size="lg" aria-label={`Use of ${name}`}>
        <Progress.Section value={spent} color={color} aria-label="Spent" />
        <Progress.Section value={Math.min(PERCENT - spent, share(current.reserved))} color="gray" aria-label="Reserved" />
      </Progress.Root>
      <Group gap={4} justify="space-between">
        <Text size="xs">
          {formatAmount(current.spent, unit)} of {formatAmount(limit, unit)}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {isEach && current.spent > 0 ? `Highest: ${current.member || 'without a name'}` : ''}
          {current.reserved > 0 ? ` ${formatAmount(current.reserved, unit)} reserved` : ''}
        </Text>
      </Group>
    </Stack>
  )
}
