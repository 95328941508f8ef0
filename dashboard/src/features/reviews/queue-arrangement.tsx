import { Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { FilterValues } from '../../ui/filter-bar.tsx'
import { FilterInput } from '../../ui/filter-input.tsx'
import { QUEUE_GROUPS, QUEUE_SORTS } from './arrange-queue.ts'
import { PENDING, type ReviewFilters } from './review-filters.ts'

interface QueueArrangementProps {
  readonly filters: ReviewFilters
  readonly onChange: (changes: FilterValues) => void
}

/** Search, grouping and sorting of the queue. */
export function QueueArrangement({ filters, onChange }: QueueArrangementProps) {
  const { t } = useTranslation('reviews')
  const props = { values: filters, onChange, compact: true, wide: true }
  const isPending = filters.state === PENDING
  const choice = { kind: 'choice', fallback: 'none' } as const
  return (
    <Stack gap="xs" mb="xs">
      <FilterInput {...props} filter={{ name: 'q', kind: 'text', label: t('arrange.search') }} />
      <Group gap="xs" grow>
        <FilterInput
          {...props}
          filter={{
            ...choice,
            name: 'group',
            label: t('arrange.group'),
            choices: [
              { value: 'none', label: t('arrange.groups.none') },
              ...QUEUE_GROUPS.map((value) => ({ value, label: t(`arrange.groups.${value}`) })),
            ],
          }}
        />
        <FilterInput
          {...props}
          filter={{
            ...choice,
            name: 'sort',
            label: t('arrange.sort'),
            choices: [
              { value: 'none', label: t(isPending ? 'arrange.sorts.expiry' : 'arrange.sorts.newest') },
              ...QUEUE_SORTS.filter((sort) => isPending || sort !== 'newest').map((value) => ({
                value,
                label: t(`arrange.sorts.${value}`),
              })),
            ],
          }}
        />
      </Group>
    </Stack>
  )
}
