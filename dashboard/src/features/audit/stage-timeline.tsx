import { Badge, Group, Text, Timeline } from '@mantine/core'
import { findingName, foundTypes } from '../../ui/finding-names.ts'
import type { AuditRecord } from './audit-record.ts'

/** What each stage is for. */
const PURPOSES: Readonly<Record<string, string>> = {
  authenticate: 'Whose key is it?',
  admit: 'Is the request sound, and within limits?',
  identify: 'Who asks?',
  classify: 'What is in it?',
  authorize: 'What do the policies say of the request?',
  retrieve: 'What is known about it?',
  recall: 'What is remembered?',
  route: 'Which model, at which provider?',
  invoke: 'The model answers.',
  inspect: 'What do the policies say of the answer?',
  remember: 'What is worth keeping?',
  record: 'Written down, before anything leaves.',
}

const COLORS: Readonly<Record<string, string>> = { ok: 'green', skipped: 'gray', stopped: 'orange', failed: 'red' }

/** The twelve stages of an exchange, with what each found out. */
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
              <Badge size="sm" variant="light" color={COLORS[outcome] ?? 'gray'} tt="none">
                {outcome}
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
          {outcome !== 'skipped' && <Text size="sm">{foundAt(record, name)}</Text>}
        </Timeline.Item>
      ))}
    </Timeline>
  )
}

/** What the record tells of a stage, in a line. */
function foundAt(record: AuditRecord, stage: string): string {
  const found = foundTypes(record.findings[stage] ?? {}).map(([type, count]) => `${count} × ${findingName(type)}`)
  return [...found, ...told(record, stage)].join(', ')
}

function told(
  { user, classification, risk_level, decision, knowledge, memory, remembered, attempts }: AuditRecord,
  stage: string,
) {
  const rulesAt = (...points: readonly string[]) =>
    (decision?.rules ?? []).filter(({ point }) => points.includes(point)).map(({ id, verdict }) => `${id} (${verdict})`)
  switch (stage) {
    case 'identify':
      return user.id === null
        ? ['nobody named']
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
      return [counted(attempts.length, 'call', 'calls')]
    case 'inspect':
      return rulesAt('output')
    case 'remember':
      return [`${remembered.length} kept`, ...rulesAt('remember')]
    default:
      return []
  }
}

const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`
