import { Badge } from '@mantine/core'

/** Least sensitive first. */
export const CLASSIFICATIONS = ['public', 'internal', 'confidential', 'restricted'] as const

const COLORS: Readonly<Record<string, string>> = {
  public: 'gray',
  internal: 'blue',
  confidential: 'orange',
  restricted: 'red',
}

interface ClassificationProps {
  readonly level: string | null
  /** Text for a null level. */
  readonly fallback?: string
}

/** Badge with a classification. */
export function Classification({ level, fallback = 'none' }: ClassificationProps) {
  return (
    <Badge color={level ? (COLORS[level] ?? 'gray') : 'gray'} variant={level ? 'light' : 'outline'} tt="none">
      {level ?? fallback}
    </Badge>
  )
}
