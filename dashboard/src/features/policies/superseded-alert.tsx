import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { ApiError } from '../../api/api-error.ts'
import type { ItemOf } from '../../api/operations.ts'
import { useRead } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { DocumentView } from './document-view.tsx'

type PolicySet = ItemOf<'/admin/v1/policy-sets'>

/** The active version, if publishing was refused because the base version is no longer active. */
export function activeVersionIn(error: unknown): PolicySet | undefined {
  if (!(error instanceof ApiError) || error.details.reason !== 'base_version_superseded') return undefined
  return (error.details.active_version ?? undefined) as PolicySet | undefined
}

interface SupersededAlertProps {
  readonly active: PolicySet
  /** The document that the draft is based on. */
  readonly original: string
  readonly onKeep: () => void
  readonly onDiscard: () => void
}

/** Shows the changes of a version that was published after the draft was started. */
export function SupersededAlert({ active, original, onKeep, onDiscard }: SupersededAlertProps) {
  const { data, error } = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id: active.id } } })
  const self = useSession().data?.operator.id
  const name = `${active.name} v${active.version}`
  return (
    <Alert
      color="yellow"
      variant="outline"
      role="alert"
      title={<Text inherit c="bright">{`${name} was published after you started this draft`}</Text>}
    >
      <Stack gap="sm">
        <Text size="sm">
          Published by {active.published_by === self ? 'you' : active.published_by}, <Time at={active.created_at} />. Your draft
          was not published, because it would undo these changes:
        </Text>
        {error && <ErrorState error={error} />}
        {!(error || data) && <PageSkeleton />}
        {data && <DocumentView source={data.source} since={original} />}
        <Text size="sm">Add the changes that you want to keep to your draft, then publish it in place of {name}.</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onKeep}>
            Keep my draft and replace {name}
          </Button>
          <Button size="xs" variant="default" onClick={onDiscard}>
            Discard my draft and edit {name}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
