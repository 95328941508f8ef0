import { Badge } from '@mantine/core'

interface HealthBadgeProps {
  readonly enabled: boolean
  readonly health: {
    readonly circuit: string
    readonly problem: string | null
    readonly last_error?: { readonly kind: string; readonly fault: boolean } | null
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  url_not_allowed: 'address not allowed',
  key_missing: 'key missing',
  key_unreadable: 'key unreadable',
}

const ERRORS: Readonly<Record<string, string>> = {
  key_rejected: 'key rejected',
  quota_exhausted: 'quota exhausted',
  model_not_found: 'model not found',
  rate_limited: 'rate limited',
  connect: 'no connection',
  reset: 'connection reset',
  truncated: 'answer cut off',
  timeout: 'no answer in time',
  malformed: 'answer not valid',
  too_large: 'answer too large',
  blocked: 'address not allowed',
  status: 'error status',
}

/** The kind of a provider's last error (the outcome of an attempt), in words. */
export const errorWords = (kind: string): string => ERRORS[kind] ?? kind

/** Whether a provider can be called now, in a word that colour only repeats. */
export function HealthBadge({ enabled, health: { circuit, problem, last_error } }: HealthBadgeProps) {
  const [color, word] = standing(enabled, circuit, problem, last_error?.fault ? last_error.kind : undefined)
  return (
    <Badge color={color} variant="light" tt="none">
      {word}
    </Badge>
  )
}

function standing(
  enabled: boolean,
  circuit: string,
  problem: string | null,
  fault: string | undefined,
): readonly [color: string, word: string] {
  if (!enabled) return ['gray', 'switched off']
  if (problem) return ['red', PROBLEMS[problem] ?? problem]
  if (fault) return ['red', ERRORS[fault] ?? fault]
  if (circuit === 'open') return ['red', 'does not answer']
  return circuit === 'half_open' ? ['yellow', 'being tried again'] : ['green', 'healthy']
}
