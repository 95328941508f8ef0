import { Alert, Anchor, List, Skeleton, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import type { Check } from './editor-extensions.ts'

interface ProblemsProps {
  /** Undefined: not checked yet. */
  readonly check: Check | undefined
  readonly onLine: (line: number) => void
}

/** Errors that prevent publishing. */
export function Problems({ check, onLine }: ProblemsProps) {
  if (!check) return <Skeleton height={64} />
  if (check.ok) {
    return (
      <Alert color="green" variant="light" icon={<IconCircleCheck size={18} />} title="Ready to publish">
        {check.rules} rules, {check.tests} tests.
      </Alert>
    )
  }
  return (
    <List listStyleType="none" spacing="sm" aria-label="Problems">
      {check.errors.map(({ line, column, field, message }) => (
        <List.Item key={`${line} ${column} ${field} ${message}`}>
          <Anchor component="button" type="button" size="sm" onClick={() => onLine(line)}>
            Line {line}
          </Anchor>
          {field && (
            <Text span size="sm" c="dimmed">
              {' '}
              {field}
            </Text>
          )}
          <Text size="sm">{message}</Text>
        </List.Item>
      ))}
    </List>
  )
}
