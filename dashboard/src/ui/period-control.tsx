import { Button, Group, SegmentedControl } from '@mantine/core'
import { IconCalendar } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { LazyPopup } from './lazy-popup.tsx'

interface PeriodControlProps<P extends string> {
  readonly periods: readonly P[]
  /** Days, both inclusive, instead of a period that ends now. */
  readonly value: { readonly period: P; readonly from: string | undefined; readonly to: string | undefined }
  readonly onChange: (value: { readonly period: P; readonly from: string | undefined; readonly to: string | undefined }) => void
}

const loadDayRange = async () => (await import('./day-range.tsx')).DayRangePopover

/** Selects the period of statistics: one that ends now, or days. */
export function PeriodControl<P extends string>({ periods, value, onChange }: PeriodControlProps<P>) {
  const { t } = useTranslation('ui')
  const { period, from, to } = value
  const isCustom = from !== undefined && to !== undefined
  return (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={t('period.label')}
        data={periods.map((name) => ({ value: name, label: t(`period.names.${name}` as 'period.names.1h') }))}
        value={isCustom ? '' : period}
        onChange={(name) => onChange({ period: name as P, from: undefined, to: undefined })}
      />
      <LazyPopup load={loadDayRange} popup={{ from, to, onChange: (days) => onChange({ period, ...days }) }}>
        <Button size="xs" variant={isCustom ? 'light' : 'default'} leftSection={<IconCalendar size={14} />}>
          {isCustom ? t('period.range', { from: dayName(from), to: dayName(to) }) : t('period.custom')}
        </Button>
      </LazyPopup>
    </Group>
  )
}

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayName = (day: string): string => DAY.format(new Date(`${day}T00:00:00Z`))
