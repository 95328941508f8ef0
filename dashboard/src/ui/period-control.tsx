import { SegmentedControl } from '@mantine/core'

interface PeriodControlProps<P extends string> {
  /** Their words, by what stands for them in the address. */
  readonly periods: Readonly<Record<P, string>>
  readonly value: P
  readonly onChange: (period: P) => void
}

/** How far back to look. */
export function PeriodControl<P extends string>({ periods, value, onChange }: PeriodControlProps<P>) {
  const data = (Object.keys(periods) as P[]).map((period) => ({ value: period, label: periods[period] }))
  return <SegmentedControl aria-label="Period" data={data} value={value} onChange={(chosen) => onChange(chosen as P)} />
}
