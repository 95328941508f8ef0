import { Code, Table, Text } from '@mantine/core'
import type { AnswerOf } from '../../api/operations.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Verdict } from '../../ui/verdict.tsx'

interface RulesTableProps {
  readonly rules: AnswerOf<'get', '/admin/v1/policy-sets/{id}'>['rules']
  /** The rule that a link led to. */
  readonly chosen: string | undefined
}

const toView = (row: HTMLElement | null) => row?.scrollIntoView({ block: 'center' })

export function RulesTable({ rules, chosen }: RulesTableProps) {
  if (rules.length === 0) return <EmptyState title="No rules">Everything is allowed under this version.</EmptyState>
  return (
    <Table.ScrollContainer
      minWidth={0}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Rules' } }}
    >
      <Table verticalSpacing="sm" aria-label="Rules">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Rule</Table.Th>
            <Table.Th scope="col">At</Table.Th>
            <Table.Th scope="col">Verdict</Table.Th>
            <Table.Th scope="col" visibleFrom="md">
              When
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map(({ id, description, at, verdict, when }) => (
            <Table.Tr
              key={id}
              {...(id === chosen && { ref: toView, bg: 'var(--mantine-primary-color-light)', 'aria-current': 'true' as const })}
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
