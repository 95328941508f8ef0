import { Badge, Group, Text, Timeline } from '@mantine/core'
import type { AuditRecord } from '../../api/audit-record.ts'
import { attemptsIn } from '../../ui/attempts.ts'
import { findingCounts, findingLabel } from '../../ui/finding-labels.ts'
import { tokenUnitsIn } from './token-units.ts'

/** Descriptions of the stages. */
const PURPOSES: Readonly<Record<string, string>> = {
  authenticate: 'Checks the API key',
  admit: 'Validates the request and checks limits',
  identify: 'Identifies the user',
  classify: 'Detects findings and risk',
  authorize: 'Evaluates policies for the request',
  retrieve: 'Searches knowledge',
  recall: 'Searches memory',
  route: 'Selects model and provider',
  invoke: 'Sends the request to the provider',
  inspect: 'Evaluates policies for the completion',
  remember: 'Captures memories',
  record: 'Writes this audit record',
}

const COLORS: Readonly<Record<string, string>> = { ok: 'green', skipped: 'gray', stopped: 'orange', failed: 'red' }
const LABELS: Readonly<Record<string, string>> = { ok: 'Done', skipped: 'Skipped', stopped: 'Stopped', failed: 'Failed' }

/** The stages of a request with their outcomes. */
export function StageTimeline({ record }: { readonly record: AuditRecord }) {
  return (
    <Timeline active={record.stages.length} bulletSize={18} lineWidth={2} aria-label="Stages">
      {record.stages.map(({ name, outcome, ms }, index) => (
        <Timeline.Item
          key={name}
          color={COLORS[outcome] ?? 'gray'}
          title={
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {index + 1}. {name}
              </Text>
              <Badge size="sm" color={COLORS[outcome] ?? 'gray'}>
                {LABELS[outcome] ?? outcome}
              </Badge>
              {outcome !== 'skipped' && (
                <Text size="xs" c="dimmed">
                  {Math.round(ms * 10) / 10} ms
                </Text>
              )}
            </Group>
          }
        >
          <Text size="xs" c="dimmed">
            {PURPOSES[name]}
          </Text>
          {outcome !== 'skipped' && <Text size="sm">{summaryOf(record, name)}</Text>}
        </Timeline.Item>
      ))}
    </Timeline>
  )
}

/** Findings and results of a stage in one line. */
function summaryOf(record: AuditRecord, stage: string): string {
  const findings = findingCounts(record.findings[stage] ?? {}).map(([type, count]) => `${count} × ${findingLabel(type)}`)
  return [...findings, ...resultsOf(record, stage)].join(', ')
}

function resultsOf(
  { user, classification, risk_level, decision, knowledge, memory, remembered, attempts }: AuditRecord,
  stage: string,
) {
  const rulesAt = (...points: readonly string[]) =>
    (decision?.rules ?? []).filter(({ point }) => points.includes(point)).map(({ id, verdict }) => `${id} (${verdict})`)
  switch (stage) {
    case 'identify':
      return user.id === null
        ? ['no user']
        : [user.verified ? 'verified' : 'asserted', user.role, user.department].filter(Boolean)
    case 'classify':
      return [classification ?? '', risk_level ? `risk ${risk_level}` : ''].filter(Boolean)
    case 'authorize':
      return rulesAt('input', 'message')
    case 'retrieve':
      return [counted(knowledge.length, 'passage', 'passages'), ...rulesAt('retrieve')]
    case 'recall':
      return [counted(memory.length, 'memory', 'memories'), ...rulesAt('recall')]
    case 'invoke':
      return [attemptsIn(attempts) || 'no provider', ...tokenUnitsIn(attempts)]
    case 'inspect':
      return rulesAt('output')
    case 'remember':
      return [`${remembered.length} captured`, ...rulesAt('remember')]
    default:
      return []
  }
}

const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`
