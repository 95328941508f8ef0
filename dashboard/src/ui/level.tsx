import { Badge } from '@mantine/core'
import i18next from 'i18next'

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
  const label = levelLabel(level)
  return <Badge color={COLORS[level] ?? 'gray'}>{prefix ? i18next.t('ui:levelOf', { prefix, label }) : label}</Badge>
}

/** Label of a risk level or a classification. */
export const levelLabel = (level: string): string => i18next.t(`ui:levels.${level}` as 'ui:levels.low', { defaultValue: level })
