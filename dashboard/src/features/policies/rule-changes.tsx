import { Code, List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AnswerOf } from '../../api/operations.ts'

type Changes = AnswerOf<'get', '/admin/v1/policy-sets/{id}/diff'>

/** What changes, rule by rule. */
export function RuleChanges({ changes: { added, removed, changed, reordered, texts } }: { readonly changes: Changes }) {
  const lines: ReactNode[] = [
    ...added.map((id) => <Line key={`+${id}`} what="added" id={id} />),
    ...removed.map((id) => <Line key={`-${id}`} what="removed" id={id} />),
    ...changed.map(({ id, fields }) => (
      <List.Item key={id}>
        <b>{id}</b> changed:{' '}
        {fields.map(({ field, before, after }) => (
          <Text key={field} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {field}: <Code>{shown(before)}</Code> → <Code>{shown(after)}</Code>
          </Text>
        ))}
      </List.Item>
    )),
    ...texts.map((name) => <Line key={`t${name}`} what="text changed" id={name} />),
    ...(reordered ? [<List.Item key="order">The rules stand in another order.</List.Item>] : []),
  ]
  if (lines.length === 0) return <Text>No rule differs.</Text>
  return (
    <List size="sm" spacing={4} aria-label="Changed rules">
      {lines}
    </List>
  )
}

const Line = ({ what, id }: { readonly what: string; readonly id: string }) => (
  <List.Item>
    <b>{id}</b> {what}
  </List.Item>
)

const shown = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
