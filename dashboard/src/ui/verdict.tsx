import { Badge } from '@mantine/core'
import i18next from 'i18next'

const COLORS: Readonly<Record<string, string>> = {
  allow: 'green',
  escalate: 'grape',
  require_approval: 'yellow',
  deny: 'red',
  refused: 'red',
  failed: 'red',
}

/** The verdicts that end a request, by error code. */
export const VERDICT_OF_ERROR: Readonly<Record<string, string>> = {
  POLICY_DENIED: 'deny',
  POLICY_REVIEW_PENDING: 'require_approval',
  POLICY_REVIEW_DENIED: 'deny',
}

interface Recorded {
  readonly status: number
  readonly error_code: string | null
  readonly decision: { readonly verdict: string } | null
}

const CLIENT_CLOSED = 499

/** How a request ended: the verdict, or that it was refused, failed or canceled for another reason, although policies allow it. */
export function resultOf({ status, error_code: code, decision }: Recorded): string | undefined {
  if (code === null) return decision?.verdict
  const verdict = VERDICT_OF_ERROR[code]
  if (verdict !== undefined || status === CLIENT_CLOSED) return verdict ?? 'canceled'
  return status < 500 ? 'refused' : 'failed'
}

interface VerdictProps {
  readonly verdict: string | null | undefined
  /** The verdict of a rule, which denies, and not that of a request, which is denied. */
  readonly ofRule?: boolean
}

/** Badge with a verdict. */
export function Verdict({ verdict, ofRule = false }: VerdictProps) {
  if (!verdict) return null
  return <Badge color={COLORS[verdict] ?? 'gray'}>{ofRule ? ruleVerdictLabel(verdict) : verdictLabel(verdict)}</Badge>
}

/** `require_approval` as "Held". */
const verdictLabel = (verdict: string): string =>
  i18next.t(`ui:verdicts.${verdict}` as 'ui:verdicts.allow', { defaultValue: verdict })

/** `require_approval` as "Require approval". */
export const ruleVerdictLabel = (verdict: string): string =>
  i18next.t(`ui:ruleVerdicts.${verdict}` as 'ui:ruleVerdicts.allow', { defaultValue: verdict })
