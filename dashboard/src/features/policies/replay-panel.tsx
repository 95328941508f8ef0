import { Alert, Button, Group, List, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ResponseOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Link } from '../../ui/link.tsx'
import { Time } from '../../ui/time.tsx'
import { Verdict } from '../../ui/verdict.tsx'

interface ReplayPanelProps {
  readonly source: string
  readonly ready: boolean
}

type Replay = ResponseOf<'post', '/admin/v1/policy-sets/replay'>
type ReplayedDecision = Replay['changes'][number]['before']

const RECORD_COUNTS = ['100', '1000', '10000']

/** Evaluates the draft against the newest audit records. */
export function ReplayPanel({ source, ready }: ReplayPanelProps) {
  const [last, setLast] = useState('1000')
  const replay = useChange('post', '/admin/v1/policy-sets/replay')
  const replayed = replay.variables?.body
  const isStale = replayed?.source !== source || replayed.last !== Number(last)
  if (!useScopes().hasScope('audit:read'))
    return <EmptyState title="Replay not available">Replay requires the scope audit:read.</EmptyState>
  return (
    <Stack>
      <Group align="flex-end">
        <Select
          label="Records"
          w={160}
          allowDeselect={false}
          data={RECORD_COUNTS.map((value) => ({ value, label: `Last ${Number(value).toLocaleString()}` }))}
          value={last}
          onChange={(value) => setLast(value ?? '1000')}
        />
        <Button
          disabled={!ready}
          loading={replay.isPending}
          onClick={() => replay.mutate({ body: { source, last: Number(last) } })}
        >
          Replay
        </Button>
      </Group>
      {!ready && <Text size="sm">Fix the problems first.</Text>}
      {replay.error && <ErrorState error={replay.error} />}
      {replay.data && isStale && (
        <Alert color="yellow" variant="light" role="status">
          The draft or the number of records changed after this replay. Run the replay again.
        </Alert>
      )}
      {replay.data && <Outcome replay={replay.data} />}
    </Stack>
  )
}

function Outcome({ replay }: { readonly replay: Replay }) {
  const { records, changed, unchanged, not_replayed, has_more } = replay
  if (records === 0) {
    return <EmptyState title="No records yet">Send a request through the gateway, for example in the playground.</EmptyState>
  }
  return (
    <Stack role="status">
      <DescriptionList
        items={[
          ['Total', records.toLocaleString()],
          ['Changed', changed.toLocaleString()],
          ['Unchanged', unchanged.toLocaleString()],
          ['Not replayed', not_replayed.toLocaleString()],
        ]}
      />
      <ChangedVerdicts transitions={replay.transitions} />
      <ChangedDecisions changes={replay.changes} />
      {has_more && <Text size="sm">The list is not complete: more decisions changed.</Text>}
      <ReplayLimits limits={replay.limits} />
    </Stack>
  )
}

function ChangedVerdicts({ transitions }: Pick<Replay, 'transitions'>) {
  if (transitions.length === 0) return null
  return (
    <List listStyleType="none" spacing={4} aria-label="Changed verdicts">
      {transitions.map(({ from, to, count }) => (
        <List.Item key={`${from} ${to}`}>
          <Group gap={6}>
            {count} × <Verdict verdict={from} /> → <Verdict verdict={to} />
          </Group>
        </List.Item>
      ))}
    </List>
  )
}

function ChangedDecisions({ changes }: Pick<Replay, 'changes'>) {
  if (changes.length === 0) return null
  return (
    <List listStyleType="none" spacing="sm" aria-label="Changed decisions">
      {changes.map(({ audit_id, created_at, before, after, uncertain }) => (
        <List.Item key={audit_id}>
          <Group gap={6}>
            <Link to={`/audit/${audit_id}`} size="sm">
              <Time at={created_at} />
            </Link>
            <Verdict verdict={before.verdict} /> → <Verdict verdict={after.verdict} />
          </Group>
          <Text size="sm">{differencesOf(before, after)}</Text>
          {uncertain.length > 0 && (
            <Text size="sm" c="dimmed">
              Possibly also: {uncertain.join(', ')}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  )
}

function ReplayLimits({ limits }: Pick<Replay, 'limits'>) {
  if (limits.length === 0) return null
  return (
    <div>
      <Text fw={600} size="sm">
        Not replayable
      </Text>
      <List size="sm" aria-label="Not replayable">
        {limits.map(({ reason, rule, point, fact, message, count }) => (
          <List.Item key={`${reason} ${rule} ${point} ${fact}`}>
            {count} × {rule && <b>{rule}: </b>}
            {message}
          </List.Item>
        ))}
      </List>
    </div>
  )
}

/** Added and removed rules, transforms and directives, and changed levels. */
function differencesOf(before: ReplayedDecision, after: ReplayedDecision): string {
  const lists = [
    [before.rules.map(({ id }) => id), after.rules.map(({ id }) => id)],
    [before.transforms, after.transforms],
    [before.directives, after.directives],
  ] as const
  const levels = [
    [before.risk_level, after.risk_level, 'risk'],
    [before.classification, after.classification, 'classification'],
  ] as const
  return [
    ...lists.flatMap(([previous, current]) => [
      ...current.filter((one) => !previous.includes(one)).map((one) => `+ ${one}`),
      ...previous.filter((one) => !current.includes(one)).map((one) => `− ${one}`),
    ]),
    ...levels
      .filter(([previous, current]) => previous !== current)
      .map(([previous, current, name]) => `${name} ${previous} → ${current}`),
  ].join(', ')
}
