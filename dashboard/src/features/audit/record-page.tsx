import { Code, Grid, Stack } from '@mantine/core'
import { hasStatus } from '../../api/api-error.ts'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import { usePathParam } from '../../routing/location.ts'
import { Copyable } from '../../ui/copy.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { type AuditRecord, eventOf, recordOf } from './audit-record.ts'
import { Decision } from './decision.tsx'
import { Integrity } from './integrity.tsx'
import { StageTimeline } from './stage-timeline.tsx'

/** One record: an exchange through its twelve stages, or a change. */
export function Page() {
  const id = usePathParam('id')
  const { data, error, refetch } = useRead('/admin/v1/audit/{id}', { params: { path: { id } } })
  if (hasStatus(error, 404)) {
    return (
      <EmptyState title="There is no such record" action={<LinkButton to="/audit">To the log</LinkButton>}>
        It may belong to another Workspace, or retention has removed it.
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
            <Section title="What happened">
              <Origin record={record} />
            </Section>
            {record.decision && (
              <Section title="What was decided">
                <Decision record={record} />
              </Section>
            )}
            <Section title="Integrity">
              <Integrity record={record} />
            </Section>
            <Section title="The whole record">
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

function Origin({ record }: { readonly record: AuditRecord }) {
  const { nameOf } = useApplicationNames()
  const { id, application_id, status, error_code, duration_ms, user, change, dry_run, features } = record
  const model = features['request.model']
  return (
    <Facts
      facts={[
        ['Record', <Copyable key="id" value={id} what="the id" />],
        [
          'Application',
          application_id && (
            <Link key="application" to={`/applications/${application_id}`}>
              {nameOf(application_id)}
            </Link>
          ),
        ],
        ['Answer', error_code ? `${status} ${error_code}` : status],
        ['Took', `${Math.round(duration_ms)} ms`],
        ['User (keyed hash)', user.id && <code key="user">{user.id.slice(0, 16)}…</code>],
        ['Role', user.role || null],
        ['Department', user.department || null],
        ['Model asked for', typeof model === 'string' && model ? model : null],
        ['Dry run', dry_run ? 'yes' : null],
        ['Change', change?.action],
        ['Of', change?.object_id],
        ['Fields', change?.fields.join(', ') || null],
      ]}
    />
  )
}
