import { Group, Progress, Stack, Text } from '@mantine/core'
import { type Budget, type Count, formatAmount, formatShare, stateOf } from './budget.ts'

const PERCENT = 100

interface BudgetBarProps {
  readonly budget: Budget
  readonly count: Count
  /** Accessible name: "Use of Team". */
  readonly label: string
}

/** The share of the limit that is spent, and the share that running requests have reserved. */
export function BudgetBar({ budget, count, label }: BudgetBarProps) {
  const { unit, limit, enabled } = budget
  const share = (amount: number) => (limit === 0 ? (enabled ? PERCENT : 0) : Math.min(PERCENT, (PERCENT * amount) / limit))
  const spent = share(count.spent)
  return (
    <Stack gap={4} miw={120}>
      <Progress.Root size="lg" aria-label={label}>
        <Progress.Section value={spent} color={stateOf(budget, count)?.color ?? 'blue'} aria-label="Spent" />
        <Progress.Section value={Math.min(PERCENT - spent, share(count.reserved))} color="gray" aria-label="Reserved" />
      </Progress.Root>
      <Group gap={4} justify="space-between">
        <Text size="xs">{formatShare(count.spent, budget)}</Text>
        {count.reserved > 0 && (
          <Text size="xs" c="dimmed">
            {formatAmount(count.reserved, unit)} reserved
          </Text>
        )}
      </Group>
    </Stack>
  )
}
