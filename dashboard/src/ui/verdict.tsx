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
  /** Those that changed texts of the request. */
  readonly transforms?: readonly string[] | undefined
}

/** Badge with the verdict of a request: "Denied"; with transforms "Allowed, redacted". */
export function Verdict({ verdict, transforms = [] }: VerdictProps) {
  if (!verdict) return null
  const change = changeBy(verdict, transforms)
  return <Badge color={colorOf(verdict, change !== undefined)}>{requestLabel(verdict, change)}</Badge>
}

interface RuleEffects {
  readonly verdict: string
  readonly transforms?: readonly string[]
  readonly directives?: readonly string[]
}

/** Badge with the effect of a rule: "Deny", "Redact", "Restrict". */
export function RuleVerdict({ verdict, transforms = [], directives = [] }: RuleEffects) {
  const hasEffect = changeBy(verdict, transforms) !== undefined || directives.length > 0
  return <Badge color={colorOf(verdict, hasEffect)}>{ruleVerdictLabel({ verdict, transforms, directives })}</Badge>
}

const colorOf = (verdict: string, hasEffect: boolean): string =>
  verdict === 'allow' && hasEffect ? 'teal' : (COLORS[verdict] ?? 'gray')

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

/** `require_approval` as "Require approval". A rule that allows with transforms or directives has their effect as its name: "Redact", "Restrict". */
export function ruleVerdictLabel({ verdict, transforms = [], directives = [] }: RuleEffects): string {
  const label = i18next.t(`ui:ruleVerdicts.${verdict}` as 'ui:ruleVerdicts.allow', { defaultValue: verdict })
  const change = changeBy(verdict, transforms)
  if (change && verdict === 'allow') return i18next.t(`ui:ruleChanges.${change}`)
  if (change) return i18next.t('ui:changed.and', { verdict: label, change: i18next.t(`ui:ruleChanges.${change}`).toLowerCase() })
  if (verdict !== 'allow' || directives.length === 0) return label
  return directives.every((name) => name.startsWith('system:'))
    ? i18next.t('ui:ruleDirectives.instruct')
    : i18next.t('ui:ruleDirectives.restrict')
}
