import { Alert, Anchor, List, Skeleton, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { type Check, placeOf } from './editor-extensions.ts'

interface ProblemsProps {
  /** Undefined: not checked yet. */
  readonly check: Check | undefined
  readonly source: string
  readonly onLine: (line: number) => void
}

/** Names of persons, alone or with all personal data. */
const READS_NAMES = /\bpii(?:\.person\b|(?![.\w]))/

/** Errors that prevent publishing. */
export function Problems({ check, source, onLine }: ProblemsProps) {
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
        {READS_NAMES.test(source) && <Text size="sm">{t('problems.names')}</Text>}
      </Stack>
    )
  }
  return (
    <List listStyleType="none" spacing="sm" aria-label={t('tabs.problems')}>
      {check.errors.map((problem) => (
        <List.Item key={`${problem.line} ${problem.column} ${problem.field} ${problem.message}`}>
          <Anchor component="button" type="button" size="sm" onClick={() => onLine(problem.line)}>
            {t('line', { line: problem.line })}
          </Anchor>
          <Text span size="sm" c="dimmed">
            {' '}
            {placeOf(problem)}
          </Text>
          <Text size="sm">{problem.message}</Text>
        </List.Item>
      ))}
    </List>
  )
}
