import { Divider } from '@mantine/core'
import { useTranslation } from 'react-i18next'

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const DAY_MS = 86_400_000

/** The time of day, with the exact time on hover. `at`: seconds since 1970. */
export function ClockTime({ at }: { readonly at: number }) {
  const date = new Date(at * 1_000)
  return (
    <time dateTime={date.toISOString()} title={EXACT.format(date)}>
      {CLOCK.format(date)}
    </time>
  )
}

/** The day of a time in the browser's time zone. `at`: seconds since 1970. */
export const dayOf = (at: number): string => DAY.format(at * 1_000)

/** Separates the messages of a day from those before. */
export function DaySeparator({ day }: { readonly day: string }) {
  const { t } = useTranslation('conversations')
  const now = Date.now()
  const label = day === DAY.format(now) ? t('history.today') : day === DAY.format(now - DAY_MS) ? t('history.yesterday') : day
  return <Divider label={label} />
}
