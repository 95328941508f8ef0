import { Badge } from '@mantine/core'
import { Level } from './level.tsx'

/** Least sensitive first. */
export const CLASSIFICATIONS = ['public', 'internal', 'confidential', 'restricted'] as const

interface ClassificationProps {
  readonly level: string | null
  /** Text for a null level. */
  readonly fallback?: string
}

/** Badge with a classification. */
export function Classification({ level, fallback = 'none' }: ClassificationProps) {
  if (level) return <Level level={level} />
  return (
    <Badge color="gray" variant="outline">
      {fallback}
    </Badge>
  )
}
