import { Select, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAll, useRead } from '../../api/queries.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { DocumentView } from './document-view.tsx'
import { RuleChanges } from './rule-changes.tsx'

interface VersionDiffProps {
  readonly id: string
  readonly source: string
  /** Undefined: the active version, or for that one the version before it. */
  readonly to: string | undefined
  readonly onChoose: (to: string | undefined) => void
}

/** The other versions, the chosen one, and whether it is older. Default: the active version; for that one the version before it. */
function useOther(id: string, to: string | undefined) {
  const { items: all } = useAll('/admin/v1/policy-sets')
  const others = all?.filter((one) => one.id !== id)
  // Newest first.
  const place = (version: string | undefined) => all?.findIndex((one) => one.id === version) ?? -1
  const other = to ?? (others?.find(({ active }) => active) ?? all?.[place(id) + 1] ?? others?.[0])?.id
  return { others, other, isOlder: place(other) > place(id) }
}

/** Changes from the older to the newer of two versions, by rule and by line. */
export function VersionDiff({ id, source, to, onChoose }: VersionDiffProps) {
  const { t } = useTranslation('policies')
  const { others, other, isOlder } = useOther(id, to)
  const enabled = other !== undefined
  const path = { id: other ?? '' }
  const set = useRead('/admin/v1/policy-sets/{id}', { params: { path } }, { enabled })
  const between = isOlder ? { path, query: { to: id } } : { path: { id }, query: { to: other ?? '' } }
  const diff = useRead('/admin/v1/policy-sets/{id}/diff', { params: between }, { enabled })
  const error = diff.error ?? set.error
  if (others && !enabled) return <EmptyState title={t('diff.single')}>{t('diff.singleHint')}</EmptyState>
  return (
    <Stack>
      <Select
        label={t('diff.compareWith')}
        maw={320}
        allowDeselect={false}
        data={(others ?? []).map((one) => ({
          value: one.id,
          label: t(one.active ? 'listedActive' : 'listed', { name: one.name, version: one.version }),
        }))}
        value={other ?? null}
        onChange={(value) => onChoose(value ?? undefined)}
      />
      {error && <ErrorState error={error} />}
      {!error && !(diff.data && set.data) && <PageSkeleton />}
      {diff.data && set.data && (
        <>
          <RuleChanges changes={diff.data} />
          <DocumentView {...(isOlder ? { source, since: set.data.source } : { source: set.data.source, since: source })} />
        </>
      )}
    </Stack>
  )
}
