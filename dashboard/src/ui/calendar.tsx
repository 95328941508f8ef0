import '@mantine/dates/styles.css'
import { DatePicker } from '@mantine/dates'
import { useTranslation } from 'react-i18next'

/** The first and the last day, `2026-11-24`. */
export type Days = [string | null, string | null]

interface CalendarProps {
  readonly days: Days
  readonly onChange: (days: Days) => void
}

/** A calendar in which two days up to today are selected. One day is selected by two clicks. */
export function Calendar({ days, onChange }: CalendarProps) {
  const { t } = useTranslation()
  return (
    <DatePicker
      type="range"
      allowSingleDateInRange
      maxDate={new Date()}
      defaultDate={days[1] ?? days[0] ?? new Date()}
      value={days}
      onChange={onChange}
      ariaLabels={{ previousMonth: t('period.previousMonth'), nextMonth: t('period.nextMonth') }}
    />
  )
}
