import { Badge } from '@mantine/core'

/** How sensitive content may be, least sensitive first. */
export const CLASSIFICATIONS = ['public', 'internal', 'confidential', 'restricted'] as const

const COLORS: Readonly<Record<string, string>> = {
  public: 'gray',
  internal: 'blue',
  confidential: 'orange',
  restricted: 'red',
}

interface ClassificationProps {
  readonly level: string | null
  /** Stands where nothing is said. */
  readonly otherwise?: string
}

/** How sensitive something is, in a word that colour only repeats. */
export function Classification({ level, otherwise = 'no label' }: ClassificationProps) {
  return (
    <Badge color={level ? (COLORS[level] ?? 'gray') : 'gray'} variant={level ? 'light' : 'outline'} tt="none">
      {level ?? otherwise}
    </Badge>
  )
}
