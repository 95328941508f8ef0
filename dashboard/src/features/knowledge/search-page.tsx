import { Alert, Text } from '@mantine/core'
import { useEffect } from 'react'
import type { AnswerOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { useFilters } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { HitCard } from './hit-card.tsx'
import { readSearch, searchBody } from './search-filters.ts'
import { SearchForm } from './search-form.tsx'

type Explanation = AnswerOf<'post', '/admin/v1/knowledge/search'>

/** Searches with somebody else's eyes: what they find, what is kept from them, and which rule does it. */
export function Page() {
  const [search, setSearch] = useFilters(readSearch)
  const { mutate, data, error, isPending } = useChange('post', '/admin/v1/knowledge/search')
  const body = searchBody(search)
  const asked = body && JSON.stringify(body)
  // The address says what is asked, so that a search can be linked to.
  useEffect(() => {
    if (asked !== undefined) mutate({ body: JSON.parse(asked) })
  }, [asked, mutate])
  const again = () => body && mutate({ body })
  return (
    <Frame
      title="Search as a user"
      description="What somebody finds through an Application, what is kept from them, and why. That you have searched is recorded."
      actions={
        <LinkButton to="/knowledge" variant="subtle">
          All collections
        </LinkButton>
      }
    >
      <SearchForm key={asked} search={search} onSearch={setSearch} onAgain={again} pending={isPending} />
      {asked === undefined ? (
        <EmptyState title="Who asks, and for what?">Choose an Application and say what to look for.</EmptyState>
      ) : error ? (
        <ErrorState error={error} onRetry={again} />
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
        <Alert color="yellow" variant="light" title="This Application does not use knowledge">
          Its users find nothing at all. Switch knowledge on in its settings; then they find what stands here.
        </Alert>
      )}
      <Text size="sm" component="div">
        Here this user may see what is <Classification level={ceiling} /> at most. Policies may withhold or change more of it.
      </Text>
      <Section title={`They find ${count(visible.length)}`}>
        {visible.length === 0 && <Text c="dimmed">Nothing that they may see fits these words.</Text>}
        {visible.map((hit) => (
          <HitCard key={hit.chunk_id} hit={hit} />
        ))}
      </Section>
      <Section title={`Kept from them: ${count(hidden.length)}`}>
        {hidden.length === 0 && <Text c="dimmed">Nothing that fits is kept from them.</Text>}
        {hidden.map((hit) => (
          <HitCard key={hit.chunk_id} hit={hit} />
        ))}
      </Section>
    </>
  )
}

const count = (passages: number): string => `${passages} ${passages === 1 ? 'passage' : 'passages'}`
