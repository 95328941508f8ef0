import { Badge } from '@mantine/core'
import i18next from 'i18next'

const COLORS: Readonly<Record<string, string>> = {
  allow: 'green',
  escalate: 'grape',
  require_approval: 'yellow',
  deny: 'red',
}

/** The mildest verdict first. */
export const STRICTNESS = ['allow', 'escalate', 'require_approval', 'deny']

export const rankOfVerdict = (verdict: string): number => STRICTNESS.indexOf(verdict)

interface VerdictProps {
  readonly verdict: string | null | undefined
  /** The verdict of a rule, which denies, and not that of a request, which is denied. */
  readonly ofRule?: boolean
  /** Transforms of the rule, or those that changed texts of the request. */
  readonly transforms?: readonly string[] | undefined
}

/** Badge with a verdict: "Denied"; with transforms "Allowed, redacted", and for a rule "Redact". */
export function Verdict({ verdict, ofRule = false, transforms = [] }: VerdictProps) {
  if (!verdict) return null
  const change = changeBy(verdict, transforms)
  const label = ofRule ? ruleVerdictLabel(verdict, transforms) : requestLabel(verdict, change)
  return <Badge color={verdict === 'allow' && change ? 'teal' : (COLORS[verdict] ?? 'gray')}>{label}</Badge>
}

/** The strictest one first. */
const CHANGES = ['redact', 'mask', 'pseudonymize', 'truncate'] as const
type Change = (typeof CHANGES)[number]

/** The strictest change of the texts. Undefined if there is none, or the verdict lets no text pass. */
function changeBy(verdict: string, transforms: readonly string[]): Change | undefined {
  if (!PASSING.has(verdict)) return undefined
  return CHANGES.find((kind) => transforms.some((name) => name.startsWith(`${kind}:`)))
}

const PASSING = new Set(['allow', 'escalate', 'require_approval'])

/** `require_approval` as "Held". */
const verdictLabel = (verdict: string): string =>
  i18next.t(`ui:verdicts.${verdict}` as 'ui:verdicts.allow', { defaultValue: verdict })

const requestLabel = (verdict: string, change: Change | undefined): string =>
  change
    ? i18next.t('ui:changed.and', { verdict: verdictLabel(verdict), change: i18next.t(`ui:changed.${change}`) })
    : verdictLabel(verdict)

/** `require_approval` as "Require approval"; a rule that redacts as "Redact". */
export function ruleVerdictLabel(verdict: string, transforms: readonly string[] = []): string {
  const label = i18next.t(`ui:ruleVerdicts.${verdict}` as 'ui:ruleVerdicts.allow', { defaultValue: verdict })
  const change = changeBy(verdict, transforms)
  if (!change) return label
  if (verdict === 'allow') return i18next.t(`ui:ruleChanges.${change}`)
  return i18next.t('ui:changed.and', { verdict: label, change: i18next.t(`ui:ruleChanges.${change}`).toLowerCase() })
}
