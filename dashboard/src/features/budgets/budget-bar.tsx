import { Group, Progress, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type Budget, type Count, formatAmount, formatShare, stateOf } from './budget.ts'

const PERCENT = 100

interface BudgetBarProps {
  readonly budget: Budget
  readonly count: Count
  /** Accessible name: "Usage of Team". */
  readonly label: string
}

/** The share of the limit that is spent, and the share that running requests have reserved. */
export function BudgetBar({ budget, count, label }: BudgetBarProps) {
  const { t } = useTranslation('budgets')
  const { unit, limit, enabled } = budget
  const share = (amount: number) => (limit === 0 ? (enabled ? PERCENT : 0) : Math.min(PERCENT, (PERCENT * amount) / limit))
  const spent = share(count.spent)
  return (
    <Stack gap={4} miw={120}>
      <Progress.Root size="lg" aria-label={label}>
        <Progress.Section
          value={spent}
          miw={spent > 0 ? 8 : 0}
          color={stateOf(budget, count)?.color ?? 'blue'}
          aria-label={t('spent')}
        />
        <Progress.Section value={Math.min(PERCENT - spent, share(count.reserved))} color="gray" aria-label={t('reserved')} />
      </Progress.Root>
      <Group gap={4} justify="space-between">
        <Text size="xs">{formatShare(count.spent, budget)}</Text>
        {count.reserved > 0 && (
          <Text size="xs" c="dimmed">
            {t('amounts.reserved', { amount: formatAmount(count.reserved, unit) })}
          </Text>
        )}
      </Group>
    </Stack>
  )
}
