import { Badge } from '@mantine/core'
import i18next from 'i18next'

const COLORS: Readonly<Record<string, string>> = { allow: 'green', escalate: 'grape', require_approval: 'yellow', deny: 'red' }

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
