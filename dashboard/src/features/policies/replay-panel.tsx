import { Alert, Button, Group, List, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { AnswerOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import { Time } from '../../ui/time.tsx'
import { Verdict } from '../../ui/verdict.tsx'

interface ReplayPanelProps {
  readonly source: string
  readonly ready: boolean
}

type Replay = AnswerOf<'post', '/admin/v1/policy-sets/replay'>
type Demand = Replay['changes'][number]['before']

const HOW_MANY = ['100', '1000', '10000']

/** What the draft would have made of the newest records, by what they hold. */
export function ReplayPanel({ source, ready }: ReplayPanelProps) {
  const [last, setLast] = useState('1000')
  const replay = useChange('post', '/admin/v1/policy-sets/replay')
  const replayed = replay.variables?.body
  const isStale = replayed?.source !== source || replayed.last !== Number(last)
  if (!useScopes().may('audit:read')) return <EmptyState title="Needs the scope audit:read" />
  return (
    <Stack>
      <Group align="flex-end">
        <Select
          label="How many records"
          w={160}
          allowDeselect={false}
          data={HOW_MANY.map((value) => ({ value, label: `the last ${Number(value).toLocaleString()}` }))}
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
      {!ready && <Text size="sm">Fix errors first.</Text>}
      {replay.error && <ErrorState error={replay.error} />}
      {replay.data && isStale && (
        <Alert color="yellow" variant="light" role="status">
          The draft or the number of records has changed since this replay. Run it again.
        </Alert>
      )}
      {replay.data && <Outcome replay={replay.data} />}
    </Stack>
  )
}

function Outcome({
  replay: { records, changed, unchanged, not_replayed, transitions, changes, has_more, limits },
}: {
  readonly replay: Replay
}) {
  if (records === 0)
    return <EmptyState title="No records yet">Send a request through the gateway, in the playground for instance.</EmptyState>
  return (
    <Stack role="status">
      <Facts
        facts={[
          ['Looked at', records.toLocaleString()],
          ['Would change', changed.toLocaleString()],
          ['Stay as they are', unchanged.toLocaleString()],
          ['Not known', not_replayed.toLocaleString()],
        ]}
      />
      {transitions.length > 0 && (
        <List listStyleType="none" spacing={4} aria-label="Changed verdicts">
          {transitions.map(({ from, to, count }) => (
            <List.Item key={`${from} ${to}`}>
              <Group gap={6}>
                {count} × <Verdict verdict={from} /> → <Verdict verdict={to} />
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      {changes.length > 0 && (
        <List listStyleType="none" spacing="sm" aria-label="Changed decisions">
          {changes.map(({ audit_id, created_at, before, after, uncertain }) => (
            <List.Item key={audit_id}>
              <Group gap={6}>
                <Link to={`/audit/${audit_id}`} size="sm">
                  <Time at={created_at} />
                </Link>
                <Verdict verdict={before.verdict} /> → <Verdict verdict={after.verdict} />
              </Group>
              <Text size="sm">{differences(before, after)}</Text>
              {uncertain.length > 0 && (
                <Text size="sm" c="dimmed">
                  Besides, perhaps: {uncertain.join(', ')}
                </Text>
              )}
            </List.Item>
          ))}
        </List>
      )}
      {has_more && <Text size="sm">More have changed than are shown.</Text>}
      {limits.length > 0 && (
        <div>
          <Text fw={600} size="sm">
            What cannot be replayed
          </Text>
          <List size="sm" aria-label="What cannot be replayed">
            {limits.map(({ reason, rule, point, fact, message, count }) => (
              <List.Item key={`${reason} ${rule} ${point} ${fact}`}>
                {count} × {rule && <b>{rule}: </b>}
                {message}
              </List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  )
}

/** Beside the verdict: rules, transforms, directives, levels that come or go. */
function differences(before: Demand, after: Demand): string {
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
    ...lists.flatMap(([was, is]) => [
      ...is.filter((one) => !was.includes(one)).map((one) => `+ ${one}`),
      ...was.filter((one) => !is.includes(one)).map((one) => `− ${one}`),
    ]),
    ...levels.filter(([was, is]) => was !== is).map(([was, is, name]) => `${name} ${was} → ${is}`),
  ].join(', ')
}
