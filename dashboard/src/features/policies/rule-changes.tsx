import { Code, List, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import type { PolicyDiff } from '../../api/schema.d.ts'

export type Changes = Pick<PolicyDiff, 'added' | 'removed' | 'changed' | 'reordered' | 'texts'>
type ChangedRule = Changes['changed'][number]

const isWeaker = ({ fields }: ChangedRule): boolean => fields.some(({ weakens }) => weakens)

/** Changed rules between two versions; the ones that demand less come first. */
export function RuleChanges({ changes: { added, removed, changed, reordered, texts } }: { readonly changes: Changes }) {
  const { t } = useTranslation('policies')
  const weaker: ReactNode[] = [
    ...removed.map((id) => <Line key={`-${id}`} kind="removed" id={id} />),
    ...changed.filter(isWeaker).map((rule) => <ChangedFields key={rule.id} rule={rule} />),
  ]
  const others = changed.filter((rule) => !isWeaker(rule))
  const rest: ReactNode[] = [
    ...others.map((rule) => <ChangedFields key={rule.id} rule={rule} />),
    ...added.map((id) => <Line key={`+${id}`} kind="added" id={id} />),
    ...texts.map((name) => <Line key={`t${name}`} kind="textChanged" id={name} />),
    ...(reordered ? [<List.Item key="order">{t('diff.reordered')}</List.Item>] : []),
  ]
  if (weaker.length + rest.length === 0) return <Text size="sm">{t('diff.none')}</Text>
  return (
    <Stack gap="sm">
      <Lines title={t('diff.weaker', { rules: weaker.length })} label={t('diff.weakerLabel')} lines={weaker} isWarning />
      <Lines
        title={t(weaker.length > 0 ? 'diff.others' : 'diff.all', { changes: rest.length })}
        label={t('diff.label')}
        lines={rest}
      />
      {others.some(({ fields }) => fields.some(({ field }) => field === 'when')) && (
        <Text size="xs" c="dimmed">
          {t('diff.conditions')}
        </Text>
      )}
    </Stack>
  )
}

interface LinesProps {
  readonly title: string
  readonly label: string
  readonly lines: readonly ReactNode[]
  readonly isWarning?: boolean
}

function Lines({ title, label, lines, isWarning = false }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <Stack gap={4}>
      <Title order={3} size="h6" {...(isWarning && { c: 'var(--mantine-color-error)' })}>
        {title}
      </Title>
      <List size="sm" spacing={4} aria-label={label}>
        {lines}
      </List>
    </Stack>
  )
}

function ChangedFields({ rule: { id, fields } }: { readonly rule: ChangedRule }) {
  return (
    <List.Item>
      <Trans ns="policies" i18nKey="diff.changed" values={{ id }} components={{ b: <b /> }} />
      {fields.map(({ field, before, after }) => (
        <Text key={field} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {field}: <Code>{formatValue(before)}</Code> → <Code>{formatValue(after)}</Code>
        </Text>
      ))}
    </List.Item>
  )
}

const Line = ({ kind, id }: { readonly kind: 'added' | 'removed' | 'textChanged'; readonly id: string }) => (
  <List.Item>
    <Trans ns="policies" i18nKey={`diff.${kind}`} values={{ id }} components={{ b: <b /> }} />
  </List.Item>
)

const formatValue = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
