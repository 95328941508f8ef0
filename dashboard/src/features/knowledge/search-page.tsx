import { Alert, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import type { KnowledgeExplanation as Explanation } from '../../api/schema.d.ts'
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

/** Searches as a user and explains visible and hidden hits. */
export function Page() {
  const { t } = useTranslation('knowledge')
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
      title={t('searchAsUser')}
      description={t('search.description')}
      parent={{ to: '/knowledge', label: t('allCollections') }}
    >
      <SearchForm key={bodyText} search={search} onSearch={setSearch} onRepeat={repeat} pending={isPending} />
      {bodyText === undefined ? (
        <EmptyState title={t('search.emptyTitle')}>{t('search.emptyHint')}</EmptyState>
      ) : error ? (
        <ErrorState error={error} onRetry={repeat} />
      ) : isPending || !data ? (
        <RowsSkeleton />
      ) : (
        <Results explanation={data} applicationId={search.application} />
      )}
    </Frame>
  )
}

interface ResultsProps {
  readonly explanation: Explanation
  readonly applicationId: string | undefined
}

function Results({ explanation: { enabled, ceiling, visible, hidden }, applicationId }: ResultsProps) {
  const { t } = useTranslation('knowledge')
  return (
    <>
      {!enabled && (
        <Alert color="yellow" variant="light" title={t('search.disabledTitle')}>
          <Stack gap="xs" align="flex-start">
            {t('search.disabledHint')}
            <LinkButton to={`/applications/${applicationId}`} search={{ tab: 'settings' }} size="xs" variant="default">
              {t('search.openSettings')}
            </LinkButton>
          </Stack>
        </Alert>
      )}
      <Text size="sm" component="div">
        <Trans ns="knowledge" i18nKey="search.clearedFor" components={{ level: <Classification level={ceiling} /> }} />
      </Text>
      <Section title={t('search.visible', { count: visible.length })}>
        {visible.length === 0 && <Text c="dimmed">{t('search.noneVisible')}</Text>}
        {visible.map((hit) => (
          <HitCard key={hit.chunk_id} hit={hit} />
        ))}
      </Section>
      <Section title={t('search.hidden', { count: hidden.length })}>
        {hidden.length === 0 && <Text c="dimmed">{t('search.noneHidden')}</Text>}
        {hidden.map((hit) => (
          <HitCard key={hit.chunk_id} hit={hit} />
        ))}
      </Section>
    </>
  )
}
