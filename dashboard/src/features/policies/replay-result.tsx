import { Accordion, Group, List, Stack, Text } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Figures } from '../../ui/figures.tsx'
import { formatPercent } from '../../ui/format-numbers.ts'
import { levelLabel } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { Time } from '../../ui/time.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import { type ChangeKind, keyOf, type ReplayPart, type ReplayState, weakeningOf } from './use-replay.ts'

type ReplayedDecision = ReplayPart['changes'][number]['before']

/** Counts of a replay, and examples of each kind of changed decision. */
export function ReplayResult({ replay }: { readonly replay: ReplayState }) {
  const { t } = useTranslation('policies')
  const { records, changed, unchanged, notReplayed, kinds, limits, status } = replay
  if (records === 0) return status === 'done' ? <EmptyState title={t('replay.none')}>{t('replay.noneHint')}</EmptyState> : null
  const figures = [
    [t('replay.changed'), changed],
    [t('replay.unchanged'), unchanged],
    [t('replay.notReplayed'), notReplayed],
  ] as const
  return (
    <Stack role={status === 'running' ? undefined : 'status'}>
      <Figures
        figures={[
          { name: t('replay.total'), value: records.toLocaleString() },
          ...figures.map(([name, count]) => ({ name, value: count.toLocaleString(), note: formatPercent(count, records) })),
        ]}
      />
      {status === 'done' && records < replay.last && <Text size="sm">{t('replay.fewer', { count: records })}</Text>}
      <Weaker kinds={kinds} />
      {kinds.length > 0 && (
        <Accordion multiple defaultValue={openKindsOf(kinds)} variant="separated" aria-label={t('replay.kinds')}>
          {kinds.map((kind) => (
            <Kind key={keyOf(kind)} kind={kind} />
          ))}
        </Accordion>
      )}
      <Limits limits={limits} />
    </Stack>
  )
}

/** The worst kind is open. Decisions that stay as mild as they were are not the ones to look at. */
const openKindsOf = (kinds: readonly ChangeKind[]): string[] =>
  kinds
    .slice(0, 1)
    .filter((kind) => kind.from !== kind.to || weakeningOf(kind) > 0)
    .map(keyOf)

/** How many decisions the draft makes weaker. */
function Weaker({ kinds }: Pick<ReplayState, 'kinds'>) {
  const { t } = useTranslation('policies')
  const count = kinds.filter((kind) => weakeningOf(kind) > 0).reduce((sum, kind) => sum + kind.count, 0)
  if (count === 0) return null
  return (
    <Text size="sm" fw={600} c="var(--mantine-color-error)">
      {t('replay.weaker', { count })}
    </Text>
  )
}

function Kind({ kind }: { readonly kind: ChangeKind }) {
  const { t } = useTranslation('policies')
  const { from, to, transformsLost, count, examples } = kind
  return (
    <Accordion.Item value={keyOf(kind)}>
      <Accordion.Control>
        <Group gap={6}>
          <Text span>{t('replay.times', { decisions: count })}</Text>
          <Verdict verdict={from} />
          <IconArrowRight size={14} aria-hidden />
          <Verdict verdict={to} />
          {transformsLost && (
            <Text span size="sm">
              {t('replay.transformsLost')}
            </Text>
          )}
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <List listStyleType="none" spacing="sm" aria-label={t('replay.examples')}>
          {examples.map(({ audit_id, created_at, endpoint, before, after, uncertain }) => (
            <List.Item key={audit_id}>
              <Group gap={6}>
                <Link to={`/audit/${audit_id}`} size="sm">
                  <Time at={created_at} />
                </Link>
                <Text size="sm" c="dimmed">
                  {endpoint}
                </Text>
              </Group>
              <Text size="sm">{differencesOf(before, after, t)}</Text>
              {uncertain.length > 0 && (
                <Text size="sm" c="dimmed">
                  {t('replay.uncertain', { rules: uncertain.join(', ') })}
                </Text>
              )}
            </List.Item>
          ))}
        </List>
        {count > examples.length && (
          <Text size="sm" c="dimmed" mt="xs">
            {t('replay.more', { count: count - examples.length })}
          </Text>
        )}
      </Accordion.Panel>
    </Accordion.Item>
  )
}

function Limits({ limits }: Pick<ReplayState, 'limits'>) {
  const { t } = useTranslation('policies')
  if (limits.length === 0) return null
  return (
    <div>
      <Text fw={600} size="sm">
        {t('replay.limits')}
      </Text>
      <List size="sm" aria-label={t('replay.limits')}>
        {limits.map(({ reason, rule, point, fact, message, count }) => (
          <List.Item key={`${reason} ${rule} ${point} ${fact}`}>
            {rule === null
              ? t('replay.limit', { records: count, message })
              : t('replay.ruleLimit', { records: count, rule, message })}
          </List.Item>
        ))}
      </List>
    </div>
  )
}

/** Added and removed rules, transforms and directives, and changed levels. */
function differencesOf(before: ReplayedDecision, after: ReplayedDecision, t: TFunction<'policies'>): string {
  const lists = [
    [before.rules.map(({ id }) => id), after.rules.map(({ id }) => id)],
    [before.transforms, after.transforms],
    [before.directives, after.directives],
  ] as const
  const between = (previous: string, current: string) => ({ before: levelLabel(previous), after: levelLabel(current) })
  const [risk, classification] = [
    t('replay.riskChange', between(before.risk_level, after.risk_level)),
    t('replay.classificationChange', between(before.classification, after.classification)),
  ]
  return [
    ...lists.flatMap(([previous, current]) => [
      ...current.filter((one) => !previous.includes(one)).map((one) => `+ ${one}`),
      ...previous.filter((one) => !current.includes(one)).map((one) => `− ${one}`),
    ]),
    ...(before.risk_level === after.risk_level ? [] : [risk]),
    ...(before.classification === after.classification ? [] : [classification]),
  ].join(', ')
}
