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
  url_not_allowed: 'Address not allowed',
  key_missing: 'Key missing',
  key_unreadable: 'Key unreadable',
  key_invalid: 'Key has the wrong form',
}

const ERRORS: Readonly<Record<string, string>> = {
  key_rejected: 'Key rejected',
  quota_exhausted: 'Quota exhausted',
  model_not_found: 'Model not found',
  rate_limited: 'Rate limited',
  connect: 'No connection',
  reset: 'Connection reset',
  truncated: 'Response truncated',
  error_event: 'Error in the stream',
  early_error_event: 'Error before the response',
  timeout: 'Timeout',
  malformed: 'Invalid response',
  too_large: 'Response too large',
  blocked: 'Address not allowed',
  status: 'Error status',
  refused: 'Refused',
  unsupported: 'Not supported',
  busy: 'Busy',
  circuit_open: 'Unavailable',
}

/** Label of a provider's last error, or of the outcome of an attempt. */
export const errorLabel = (kind: string): string => ERRORS[kind] ?? kind

/** Badge with the health of a provider. */
export function HealthBadge({ enabled, health: { circuit, problem, last_error } }: HealthBadgeProps) {
  const [color, label] = healthOf(enabled, circuit, problem, last_error?.fault ? last_error.kind : undefined)
  return <Badge color={color}>{label}</Badge>
}

function healthOf(
  enabled: boolean,
  circuit: string,
  problem: string | null,
  fault: string | undefined,
): readonly [color: string, label: string] {
  if (!enabled) return ['gray', 'Disabled']
  if (problem) return ['red', PROBLEMS[problem] ?? problem]
  if (fault) return ['red', ERRORS[fault] ?? fault]
  if (circuit === 'open') return ['red', 'Unavailable']
  return circuit === 'half_open' ? ['yellow', 'Recovering'] : ['green', 'Healthy']
}
