import { Text } from '@mantine/core'

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

interface TimeProps {
  /** As the API has it: ISO 8601, or seconds since 1970. */
  readonly at: string | number | null | undefined
  /** Stands where there is no time. */
  readonly otherwise?: string
}

/** A moment in the viewer's own time zone; the exact one on hover. */
export function Time({ at, otherwise = '–' }: TimeProps) {
  if (at === null || at === undefined)
    return (
      <Text span inherit c="dimmed">
        {otherwise}
      </Text>
    )
  const date = new Date(typeof at === 'number' ? at * 1_000 : at)
  return (
    <time dateTime={date.toISOString()} title={EXACT.format(date)}>
      {SHORT.format(date)}
    </time>
  )
}
