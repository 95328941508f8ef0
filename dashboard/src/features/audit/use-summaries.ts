import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { attemptsIn } from '../../ui/attempts.ts'
import { findingCounts, findingLabel } from '../../ui/finding-labels.ts'
import { levelLabel } from '../../ui/level.tsx'
import { ruleVerdictLabel } from '../../ui/verdict.tsx'

/** Findings and results of a stage in one line. */
export function useSummaries(record: AuditRecord): (stage: string) => string {
  const resultsOf = useResults(record)
  const { t } = useTranslation('audit')
  return (stage) => {
    const findings = findingCounts(record.findings[stage] ?? {})
    return [
      ...findings.map(([type, count]) => t('stages.finding', { number: count, type: findingLabel(type) })),
      ...resultsOf(stage),
    ].join(', ')
  }
}

function useResults({ user, classification, risk_level, decision, knowledge, memory, remembered, attempts }: AuditRecord) {
  const { t } = useTranslation('audit')
  const rulesAt = (...points: readonly string[]) =>
    (decision?.rules ?? [])
      .filter(({ point }) => points.includes(point))
      .map(({ id, verdict }) => t('stages.rule', { id, verdict: ruleVerdictLabel({ verdict }) }))
  const identity = () =>
    user.id === null
      ? [t('stages.noUser')]
      : [
          user.verified ? t('stages.verified') : t('stages.asserted'),
          user.role ? t('stages.role', { role: user.role }) : '',
          user.department ? t('stages.department', { department: user.department }) : '',
        ].filter(Boolean)
  const results: Readonly<Record<string, () => readonly string[]>> = {
    identify: identity,
    classify: () =>
      [classification ? levelLabel(classification) : '', risk_level ? t('stages.risk', { level: risk_level }) : ''].filter(
        Boolean,
      ),
    authorize: () => rulesAt('input', 'message'),
    retrieve: () => [t('stages.passages', { count: knowledge.length }), ...rulesAt('retrieve')],
    recall: () => [t('stages.memories', { count: memory.length }), ...rulesAt('recall')],
    invoke: () => [attemptsIn(attempts) || t('stages.noProvider')],
    inspect: () => rulesAt('output'),
    remember: () => [t('stages.captured', { number: remembered.length }), ...rulesAt('remember')],
  }
  return (stage: string): readonly string[] => results[stage]?.() ?? []
}
