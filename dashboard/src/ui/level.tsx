import { Badge } from '@mantine/core'

const COLORS: Readonly<Record<string, string>> = {
  public: 'gray',
  low: 'gray',
  internal: 'blue',
  medium: 'yellow',
  confidential: 'orange',
  high: 'orange',
  restricted: 'red',
  critical: 'red',
}

interface LevelProps {
  /** A risk level or a classification. */
  readonly level: string | null
  /** Prefix if the context does not show which of the two it is: "Risk". */
  readonly prefix?: string
}

/** Badge with a risk level or a classification. */
export function Level({ level, prefix }: LevelProps) {
  if (level === null) return null
  return <Badge color={COLORS[level] ?? 'gray'}>{prefix ? `${prefix}: ${level}` : level}</Badge>
}
