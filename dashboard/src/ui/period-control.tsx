import { SegmentedControl } from '@mantine/core'

interface PeriodControlProps<P extends string> {
  /** Labels by value in the URL. */
  readonly periods: Readonly<Record<P, string>>
  readonly value: P
  readonly onChange: (period: P) => void
}

/** Selects the period of statistics. */
export function PeriodControl<P extends string>({ periods, value, onChange }: PeriodControlProps<P>) {
  const data = (Object.keys(periods) as P[]).map((period) => ({ value: period, label: periods[period] }))
  return <SegmentedControl aria-label="Period" data={data} value={value} onChange={(period) => onChange(period as P)} />
}
