import { Code, List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ResponseOf } from '../../api/operations.ts'

type Changes = ResponseOf<'get', '/admin/v1/policy-sets/{id}/diff'>

/** Changed rules between two versions. */
export function RuleChanges({ changes: { added, removed, changed, reordered, texts } }: { readonly changes: Changes }) {
  const lines: ReactNode[] = [
    ...added.map((id) => <Line key={`+${id}`} label="added" id={id} />),
    ...removed.map((id) => <Line key={`-${id}`} label="removed" id={id} />),
    ...changed.map(({ id, fields }) => (
      <List.Item key={id}>
        <b>{id}</b> changed:{' '}
        {fields.map(({ field, before, after }) => (
          <Text key={field} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {field}: <Code>{formatValue(before)}</Code> → <Code>{formatValue(after)}</Code>
          </Text>
        ))}
      </List.Item>
    )),
    ...texts.map((name) => <Line key={`t${name}`} label="text changed" id={name} />),
    ...(reordered ? [<List.Item key="order">The order of the rules changed.</List.Item>] : []),
  ]
  if (lines.length === 0) return <Text>No rules changed.</Text>
  return (
    <List size="sm" spacing={4} aria-label="Changed rules">
      {lines}
    </List>
  )
}

const Line = ({ label, id }: { readonly label: string; readonly id: string }) => (
  <List.Item>
    <b>{id}</b> {label}
  </List.Item>
)

const formatValue = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
