import { Code, Grid, Stack } from '@mantine/core'
import { hasStatus } from '../../api/api-error.ts'
import { useApplicationNames } from '../../api/application-names.ts'
import { type AuditRecord, eventOf, recordOf } from '../../api/audit-record.ts'
import { useRead } from '../../api/queries.ts'
import { usePathParam } from '../../routing/location.ts'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { contentFacts } from './content-facts.ts'
import { DecisionDetails } from './decision-details.tsx'
import { RecordIntegrity } from './record-integrity.tsx'
import { StageTimeline } from './stage-timeline.tsx'

/** One audit record: a request with its stages, or a change by an operator. */
export function Page() {
  const id = usePathParam('id')
  const { data, error, refetch } = useRead('/admin/v1/audit/{id}', { params: { path: { id } } })
  if (hasStatus(error, 404)) {
    return (
      <EmptyState title="Audit record not found" action={<LinkButton to="/audit">Open audit log</LinkButton>}>
        It belongs to another Workspace, or its retention period has ended.
      </EmptyState>
    )
  }
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <PageSkeleton />
  const record = recordOf(data)
  return (
    <Frame title={`Record: ${eventOf(record)}`} description={<Time at={record.created_at} />}>
      <Grid gap="lg">
        {record.stages.length > 0 && (
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Section title="Stages">
              <StageTimeline record={record} />
            </Section>
          </Grid.Col>
        )}
        <Grid.Col span={{ base: 12, md: record.stages.length > 0 ? 7 : 12 }}>
          <Stack>
            <Section title="Event">
              <EventDetails record={record} />
            </Section>
            {record.decision && (
              <Section title="Decision">
                <DecisionDetails record={record} />
              </Section>
            )}
            <Section title="Integrity">
              <RecordIntegrity record={record} />
            </Section>
            <Section title="Full record">
              <Code block mah={320} tabIndex={0} style={{ overflow: 'auto' }}>
                {JSON.stringify(data, null, 2)}
              </Code>
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Frame>
  )
}

function EventDetails({ record }: { readonly record: AuditRecord }) {
  const { nameOf } = useApplicationNames()
  const { id, application_id, status, error_code, duration_ms, user, change, dry_run, features } = record
  const model = features['request.model']
  return (
    <DescriptionList
      items={[
        ['Record', <Copyable key="id" value={id} label="ID" />],
        [
          'Application',
          application_id && (
            <Link key="application" to={`/applications/${application_id}`}>
              {nameOf(application_id)}
            </Link>
          ),
        ],
        ['HTTP status', error_code ? `${status} ${error_code}` : status],
        ['Duration', `${Math.round(duration_ms)} ms`],
        ['User (keyed hash)', user.id && <code key="user">{user.id.slice(0, 16)}…</code>],
        ['Role', user.role || null],
        ['Department', user.department || null],
        ['Requested model', typeof model === 'string' && model ? model : null],
        ...contentFacts(record),
        ['Dry run', dry_run ? 'Yes' : null],
        ['Change', change?.action],
        ['Object', change?.object_id],
        ['Changed fields', change?.fields.join(', ') || null],
      ]}
    />
  )
}
