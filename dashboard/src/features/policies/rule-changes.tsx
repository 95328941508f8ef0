import { Code, List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import type { PolicyDiff as Changes } from '../../api/schema.d.ts'

/** Changed rules between two versions. */
export function RuleChanges({ changes: { added, removed, changed, reordered, texts } }: { readonly changes: Changes }) {
  const { t } = useTranslation('policies')
  const lines: ReactNode[] = [
    ...added.map((id) => <Line key={`+${id}`} kind="added" id={id} />),
    ...removed.map((id) => <Line key={`-${id}`} kind="removed" id={id} />),
    ...changed.map(({ id, fields }) => (
      <List.Item key={id}>
        <Trans ns="policies" i18nKey="diff.changed" values={{ id }} components={{ b: <b /> }} />
        {fields.map(({ field, before, after }) => (
          <Text key={field} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {field}: <Code>{formatValue(before)}</Code> → <Code>{formatValue(after)}</Code>
          </Text>
        ))}
      </List.Item>
    )),
    ...texts.map((name) => <Line key={`t${name}`} kind="textChanged" id={name} />),
    ...(reordered ? [<List.Item key="order">{t('diff.reordered')}</List.Item>] : []),
  ]
  if (lines.length === 0) return <Text size="sm">{t('diff.none')}</Text>
  return (
    <List size="sm" spacing={4} aria-label={t('diff.label')}>
      {lines}
    </List>
  )
}

const Line = ({ kind, id }: { readonly kind: 'added' | 'removed' | 'textChanged'; readonly id: string }) => (
  <List.Item>
    <Trans ns="policies" i18nKey={`diff.${kind}`} values={{ id }} components={{ b: <b /> }} />
  </List.Item>
)

const formatValue = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
