import '@mantine/dates/styles.css'
import { Button, Group, Stack } from '@mantine/core'
import { TimePicker } from '@mantine/dates'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Calendar, type Days } from './calendar.tsx'

interface TimeRangeProps {
  /** Local times: `2026-11-21T09:30`. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly onChange: (range: { readonly from: string; readonly to: string }) => void
}

const dayOf = (time: string | undefined): string | null => time?.slice(0, 10) ?? null
const clockOf = (time: string | undefined): string => time?.slice(11, 16) ?? ''

/** A calendar in which two days are selected, and the times of day. Without times, whole days are selected. */
export function TimeRange({ from, to, onChange }: TimeRangeProps) {
  const { t } = useTranslation('ui')
  const [days, setDays] = useState<Days>([dayOf(from), lastDayOf(to)])
  const [start, setStart] = useState(isMidnight(from) ? '' : clockOf(from))
  const [end, setEnd] = useState(isMidnight(to) ? '' : clockOf(to))
  const [first, last] = days
  const apply = () => {
    if (first && last) onChange({ from: `${first}T${start || '00:00'}`, to: end ? `${last}T${end}` : `${dayAfter(last)}T00:00` })
  }
  return (
    <Stack gap="xs">
      <Calendar days={days} onChange={setDays} />
      <Group gap="xs" grow>
        <TimePicker size="xs" label={t('period.start')} value={start} onChange={setStart} />
        <TimePicker size="xs" label={t('period.end')} value={end} onChange={setEnd} />
      </Group>
      <Button size="xs" disabled={!first || !last} onClick={apply}>
        {t('period.apply')}
      </Button>
    </Stack>
  )
}

const isMidnight = (time: string | undefined): boolean => ['', '00:00'].includes(clockOf(time))

/** A range of whole days ends at the midnight after its last day. */
const lastDayOf = (to: string | undefined): string | null =>
  to === undefined ? null : isMidnight(to) ? shifted(to.slice(0, 10), -1) : dayOf(to)

const dayAfter = (day: string): string => shifted(day, 1)

function shifted(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
