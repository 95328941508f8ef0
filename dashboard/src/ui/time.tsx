import { Badge, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatExactTime, formatRelativeTime, formatSeconds, formatTime } from './format-time.ts'
import { useNow } from './use-now.ts'

interface TimeProps {
  /** ISO 8601, or seconds since 1970. */
  readonly at: string | number | null | undefined
  /** Text if there is no time. */
  readonly fallback?: string
  /**
   * `relative`, the default: "5 min. ago" within a week. `date`: date and time, for sentences such as "until …". `seconds`: for logs,
   * whose entries are compared.
   */
  readonly format?: 'relative' | 'date' | 'seconds'
}

/** The revocation of a key or token. */
export function Revoked({ at }: { readonly at: string }) {
  const { t } = useTranslation('ui')
  return (
    <Badge color="gray">
      {t('time.revoked')} <Time at={at} />
    </Badge>
  )
}

/** A time in the browser's time zone, with the exact time and the time zone on hover. */
export function Time({ at, fallback = '–', format = 'relative' }: TimeProps) {
  if (at === null || at === undefined)
    return (
      <Text span inherit c="dimmed">
        {fallback}
      </Text>
    )
  const date = new Date(typeof at === 'number' ? at * 1_000 : at)
  return (
    <time dateTime={date.toISOString()} title={formatExactTime(date)} style={{ whiteSpace: 'nowrap' }}>
      {format === 'relative' ? <Relative date={date} /> : (format === 'date' ? formatTime : formatSeconds)(date)}
    </time>
  )
}

/** Only relative times render again when time passes. */
const Relative = ({ date }: { readonly date: Date }) => formatRelativeTime(date, useNow())
