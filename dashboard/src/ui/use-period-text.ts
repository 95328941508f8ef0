import { useTranslation } from 'react-i18next'
import type { FilterValues } from './filter.ts'

const MINUTES = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })
const DAYS = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const DAY_MS = 86_400_000

/** The period of a filter in words. An empty text means that all times match. */
export function usePeriodText({ period, from, to }: FilterValues): string {
  const { t } = useTranslation('ui')
  if (period) return t(`period.last.${period}` as 'period.last.24h')
  const [start, end] = [dateOf(from), dateOf(to)]
  const isDays = [start, end].every((date) => date === undefined || isMidnight(date))
  // A range of days ends at the midnight after its last day.
  const last = end && isDays ? new Date(end.getTime() - DAY_MS / 2) : end
  const nameOf = (date: Date) => (isDays ? DAYS : MINUTES).format(date)
  if (start && last) {
    const [first, second] = [nameOf(start), nameOf(last)]
    return first === second ? first : t('period.range', { from: first, to: second })
  }
  if (start) return t('period.since', { from: nameOf(start) })
  return last ? t('period.until', { to: nameOf(last) }) : ''
}

function dateOf(local: string | undefined): Date | undefined {
  const date = local ? new Date(local.length === 10 ? `${local}T00:00` : local) : undefined
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}

const isMidnight = (date: Date): boolean => date.getHours() === 0 && date.getMinutes() === 0
