import { Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDuration } from './format-duration.ts'
import { formatExactTime } from './format-time.ts'

const TICK_MS = 1_000
const URGENT_MS = 10 * 60_000

/** Remaining time, updated every second. */
export function TimeLeft({ until }: { readonly until: string }) {
  const { t } = useTranslation('ui')
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const left = Date.parse(until) - now
  return (
    <Text span inherit fw={left < URGENT_MS ? 600 : 400} {...(left < URGENT_MS && { c: 'red' })}>
      <time dateTime={until} title={formatExactTime(new Date(until))}>
        {left > 0 ? t('time.left', { duration: formatDuration(left) }) : t('time.expired')}
      </time>
    </Text>
  )
}
