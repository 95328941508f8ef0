import { Select, Stack, Text } from '@mantine/core'
import { useAll, useRead } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { DocumentView } from './document-view.tsx'
import { RuleChanges } from './rule-changes.tsx'

interface VersionDiffProps {
  readonly id: string
  readonly source: string
  /** Undefined: the active version. */
  readonly to: string | undefined
  readonly onChoose: (to: string | undefined) => void
}

/** Changes between two versions, by rule and by line. */
export function VersionDiff({ id, source, to, onChoose }: VersionDiffProps) {
  const { items = [] } = useAll('/admin/v1/policy-sets')
  const other = to ?? items.find(({ active }) => active)?.id
  const path = { id: other ?? '' }
  const set = useRead('/admin/v1/policy-sets/{id}', { params: { path } }, { enabled: other !== undefined })
  const diff = useRead('/admin/v1/policy-sets/{id}/diff', { params: { path: { id }, query: { ...(to && { to }) } } })
  const error = diff.error ?? set.error
  return (
    <Stack>
      <Select
        label="Compare with"
        maw={320}
        allowDeselect={false}
        data={items.map((one) => ({ value: one.id, label: `${one.name} v${one.version}${one.active ? ' (active)' : ''}` }))}
        value={other ?? null}
        onChange={(value) => onChoose(value ?? undefined)}
      />
      {error && <ErrorState error={error} />}
      {!error && !(diff.data && set.data) && <PageSkeleton />}
      {diff.data && set.data && (
        <>
          {other === id && <Text>This is the same version. Choose another one.</Text>}
          <RuleChanges changes={diff.data} />
          {other !== id && <DocumentView source={set.data.source} since={source} />}
        </>
      )}
    </Stack>
  )
}
