import { Code, Table, Text } from '@mantine/core'
import type { ResponseOf } from '../../api/operations.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Verdict } from '../../ui/verdict.tsx'

interface RulesTableProps {
  readonly rules: ResponseOf<'get', '/admin/v1/policy-sets/{id}'>['rules']
  /** Rule in the page's URL. */
  readonly selected: string | undefined
}

const scrollToRow = (row: HTMLElement | null) => row?.scrollIntoView({ block: 'center' })

export function RulesTable({ rules, selected }: RulesTableProps) {
  if (rules.length === 0) return <EmptyState title="No rules">This version allows all requests.</EmptyState>
  return (
    <Table.ScrollContainer
      minWidth={0}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Rules' } }}
    >
      <Table verticalSpacing="sm" aria-label="Rules">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Rule</Table.Th>
            <Table.Th scope="col">Points</Table.Th>
            <Table.Th scope="col">Verdict</Table.Th>
            <Table.Th scope="col" visibleFrom="md">
              Condition
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map(({ id, description, at, verdict, when }) => (
            <Table.Tr
              key={id}
              {...(id === selected && {
                ref: scrollToRow,
                bg: 'var(--mantine-primary-color-light)',
                'aria-current': 'true' as const,
              })}
            >
              <Table.Td maw={360}>
                <Text size="sm" fw={600}>
                  {id}
                </Text>
                <Text size="sm">{description}</Text>
              </Table.Td>
              <Table.Td>{at.join(', ')}</Table.Td>
              <Table.Td>
                <Verdict verdict={verdict} />
              </Table.Td>
              <Table.Td visibleFrom="md">
                <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{when}</Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
