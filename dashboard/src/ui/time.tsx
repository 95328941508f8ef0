import { Text } from '@mantine/core'

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

interface TimeProps {
  /** ISO 8601, or seconds since 1970. */
  readonly at: string | number | null | undefined
  /** Text if there is no time. */
  readonly fallback?: string
}

/** The revocation of a key or token. */
export const Revoked = ({ at }: { readonly at: string }) => (
  <Text size="sm" c="dimmed">
    Revoked <Time at={at} />
  </Text>
)

/** A time in the browser's time zone, with the exact time on hover. */
export function Time({ at, fallback = '–' }: TimeProps) {
  if (at === null || at === undefined)
    return (
      <Text span inherit c="dimmed">
        {fallback}
      </Text>
    )
  const date = new Date(typeof at === 'number' ? at * 1_000 : at)
  return (
    <time dateTime={date.toISOString()} title={EXACT.format(date)}>
      {SHORT.format(date)}
    </time>
  )
}
