import { Alert, Text } from '@mantine/core'
import { useEffect } from 'react'
import type { ResponseOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { useFilters } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { HitCard } from './hit-card.tsx'
import { readSearch, searchBody } from './search-filters.ts'
import { SearchForm } from './search-form.tsx'

type Explanation = ResponseOf<'post', '/admin/v1/knowledge/search'>

/** Searches as a user and explains visible and hidden hits. */
export function Page() {
  const [search, setSearch] = useFilters(readSearch)
  const { mutate, data, error, isPending } = useChange('post', '/admin/v1/knowledge/search')
  const body = searchBody(search)
  const bodyText = body && JSON.stringify(body)
  // The search is in the URL, so that it can be shared as a link.
  useEffect(() => {
    if (bodyText !== undefined) mutate({ body: JSON.parse(bodyText) })
  }, [bodyText, mutate])
  const repeat = () => body && mutate({ body })
  return (
    <Frame
      title="Search as user"
      description="Shows visible and hidden hits of a user, with the reasons. The audit log records your search."
      parent={{ to: '/knowledge', label: 'All collections' }}
    >
      <SearchForm key={bodyText} search={search} onSearch={setSearch} onRepeat={repeat} pending={isPending} />
      {bodyText === undefined ? (
        <EmptyState title="No search yet">Choose an Application and enter a query.</EmptyState>
      ) : error ? (
        <ErrorState error={error} onRetry={repeat} />
      ) : isPending || !data ? (
        <RowsSkeleton />
      ) : (
        <Results explanation={data} />
      )}
    </Frame>
  )
}

function Results({ explanation: { enabled, ceiling, visible, hidden } }: { readonly explanation: Explanation }) {
  return (
    <>
      {!enabled && (
        <Alert color="yellow" variant="light" title="Knowledge is disabled for this Application">
          Its users get no hits. Enable knowledge in the settings of the Application to get the hits below.
        </Alert>
      )}
      <Text size="sm" component="div">
        The user can see content up to <Classification level={ceiling} />. Policies can hide or change further hits.
      </Text>
      <Section title={`Visible: ${count(visible.length)}`}>
        {visible.length === 0 && <Text c="dimmed">No visible passage matches the query.</Text>}
        {visible.map((hit) => (
          <HitCard key={hit.chunk_id} hit={hit} />
        ))}
      </Section>
      <Section title={`Hidden: ${count(hidden.length)}`}>
        {hidden.length === 0 && <Text c="dimmed">No matching passage is hidden.</Text>}
        {hidden.map((hit) => (
          <HitCard key={hit.chunk_id} hit={hit} />
        ))}
      </Section>
    </>
  )
}

const count = (passages: number): string => `${passages} ${passages === 1 ? 'passage' : 'passages'}`
