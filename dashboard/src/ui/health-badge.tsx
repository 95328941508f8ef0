import { Badge } from '@mantine/core'

interface HealthBadgeProps {
  readonly enabled: boolean
  readonly health: { readonly circuit: string; readonly problem: string | null }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  url_not_allowed: 'address not allowed',
  key_missing: 'key missing',
  key_unreadable: 'key unreadable',
}

/** Whether a provider can be called now, in a word that colour only repeats. */
export function HealthBadge({ enabled, health: { circuit, problem } }: HealthBadgeProps) {
  const [color, word] = standing(enabled, circuit, problem)
  return (
    <Badge color={color} variant="light" tt="none">
      {word}
    </Badge>
  )
}

function standing(enabled: boolean, circuit: string, problem: string | null): readonly [color: string, word: string] {
  if (!enabled) return ['gray', 'switched off']
  if (problem) return ['red', PROBLEMS[problem] ?? problem]
  if (circuit === 'open') return ['red', 'does not answer']
  return circuit === 'half_open' ? ['yellow', 'being tried again'] : ['green', 'healthy']
}
