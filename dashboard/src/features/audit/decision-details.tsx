import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Level } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { RuleVerdict } from '../../ui/verdict.tsx'
import { Hash } from './hash.tsx'

/** The decision, its rules and the policy version. */
export function DecisionDetails({ record }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const { decision, classification, risk_level, policy_versions, review } = record
  const hashes = policy_versions.flatMap(({ id, sha256 }) =>
    sha256 ? [<Hash key={id} value={sha256} label={t('record.decision.sha')} />] : [],
  )
  return (
    <Stack gap="sm">
      <DescriptionList
        items={[
          [t('record.decision.verdict'), decision && <RuleVerdict key="verdict" {...decision} />],
          [t('record.decision.classification'), classification && <Level key="classification" level={classification} />],
          [t('record.decision.risk'), risk_level && <Level key="risk" level={risk_level} />],
          [
            t('record.decision.policies'),
            policy_versions.length > 0 ? <Versions key="policies" versions={policy_versions} /> : null,
          ],
          [t('record.decision.sha'), hashes.length > 0 ? hashes : null],
          [t('record.decision.transforms'), decision?.transforms.join(', ') || null],
          [t('record.decision.directives'), decision?.directives.join(', ') || null],
          [
            t('record.decision.review'),
            review && (
              <Link key="review" to={`/reviews/${review.id}`}>
                {review.state ? t('record.decision.viewState', { state: review.state }) : t('record.decision.view')}
              </Link>
            ),
          ],
        ]}
      />
      {decision && <MatchedRules decision={decision} versionId={policy_versions[0]?.id} />}
    </Stack>
  )
}

function Versions({ versions }: { readonly versions: AuditRecord['policy_versions'] }) {
  const { t } = useTranslation('audit')
  return versions.map(({ id, name, version }) => (
    <Link key={id} to={`/policies/${id}`} display="block">
      {t('record.decision.version', { name: name ?? t('record.decision.unnamed'), version })}
    </Link>
  ))
}

interface MatchedRulesProps {
  readonly decision: NonNullable<AuditRecord['decision']>
  readonly versionId: string | undefined
}

function MatchedRules({ decision: { rules }, versionId = '' }: MatchedRulesProps) {
  const { t } = useTranslation('audit')
  const isReadable = useScopes().hasScope('policies:read') && versionId !== ''
  const { data } = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id: versionId } } }, { enabled: isReadable })
  const effectsOf = (id: string) => data?.rules.find((rule) => rule.id === id)
  if (rules.length === 0) return <Text size="sm">{t('record.decision.noRule')}</Text>
  return rules.map(({ id, point, verdict, error, left_out: leftOut }) => (
    <Group key={`${id} ${point} ${leftOut}`} gap={6}>
      <Link to={`/policies/${versionId}`} search={{ rule: id }} size="sm" fw={600}>
        {id}
      </Link>
      <Text size="sm">{t('record.decision.ruleAt', { point })}</Text>
      <RuleVerdict {...effectsOf(id)} verdict={verdict} />
      {error && <Text size="sm">{t('record.decision.failed', { error })}</Text>}
      {leftOut && <Text size="sm">{t('record.decision.leftOut')}</Text>}
    </Group>
  ))
}
