import { Code, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PolicySetWithSource } from '../../api/schema.d.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { RuleVerdict } from '../../ui/verdict.tsx'

interface RulesTableProps {
  readonly rules: PolicySetWithSource['rules']
  /** Rule in the page's URL. */
  readonly selected: string | undefined
}

const scrollToRow = (row: HTMLElement | null) => row?.scrollIntoView({ block: 'center' })

export function RulesTable({ rules, selected }: RulesTableProps) {
  const { t } = useTranslation('policies')
  if (rules.length === 0) return <EmptyState title={t('rules.none')}>{t('rules.noneHint')}</EmptyState>
  return (
    <Table.ScrollContainer
      minWidth={0}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t('tabs.rules') } }}
    >
      <Table verticalSpacing="sm" aria-label={t('tabs.rules')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('rules.rule')}</Table.Th>
            <Table.Th scope="col" visibleFrom="sm">
              {t('rules.points')}
            </Table.Th>
            <Table.Th scope="col">{t('rules.verdict')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map(({ id, description, at, verdict, transforms, directives, when }) => (
            <Table.Tr
              key={id}
              {...(id === selected && {
                ref: scrollToRow,
                bg: 'var(--mantine-primary-color-light)',
                'aria-current': 'true' as const,
              })}
            >
              <Table.Td>
                <Text size="sm" fw={600}>
                  {id}
                </Text>
                <Text size="sm" c="dimmed">
                  {description}
                </Text>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {at.join(', ')}
                </Text>
                <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{when}</Code>
              </Table.Td>
              <Table.Td visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
                {at.join(', ')}
              </Table.Td>
              <Table.Td>
                <RuleVerdict verdict={verdict} transforms={transforms} directives={directives} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
