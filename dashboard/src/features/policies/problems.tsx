import { Alert, Anchor, List, Skeleton, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Check } from './editor-extensions.ts'

interface ProblemsProps {
  /** Undefined: not checked yet. */
  readonly check: Check | undefined
  readonly onLine: (line: number) => void
}

/** Errors that prevent publishing. */
export function Problems({ check, onLine }: ProblemsProps) {
  const { t } = useTranslation('policies')
  if (!check) return <Skeleton height={64} />
  if (check.ok) {
    return (
      <Stack gap="sm">
        <Alert color="green" variant="light" icon={<IconCircleCheck size={18} />} title={t('problems.none')} role="status">
          {check.tests > 0
            ? t('problems.counts', { rules: check.rules, tests: check.tests })
            : t('problems.rules', { count: check.rules })}
        </Alert>
        {check.needs_whole_response && (
          <Alert color="gray" variant="light" title={t('problems.wholeResponse')} role="status">
            {t('problems.wholeResponseReason', check.needs_whole_response)}
          </Alert>
        )}
      </Stack>
    )
  }
  return (
    <List listStyleType="none" spacing="sm" aria-label={t('tabs.problems')}>
      {check.errors.map(({ line, column, field, message }) => (
        <List.Item key={`${line} ${column} ${field} ${message}`}>
          <Anchor component="button" type="button" size="sm" onClick={() => onLine(line)}>
            {t('line', { line })}
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
