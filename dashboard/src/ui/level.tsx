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
  /** Said before it, where nothing else tells which of the two it is: "risk". */
  readonly of?: string
}

/** How grave it is, in a word that colour only repeats. */
export function Level({ level, of }: LevelProps) {
  if (level === null) return null
  return (
    <Badge color={COLORS[level] ?? 'gray'} variant="light" tt="none">
      {of ? `${of} ${level}` : level}
    </Badge>
  )
}
