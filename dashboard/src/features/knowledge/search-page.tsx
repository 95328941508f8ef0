import { Alert, Stack, Text } from '@mantine/core'
import { IconBan } from '@tabler/icons-react'
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
import { DocumentExplanation } from './document-explanation.tsx'
import { HitCard } from './hit-card.tsx'
import { readSearch, searchBody } from './search-filters.ts'
import { SearchForm } from './search-form.tsx'

/** Searches as a user and explains visible and hidden hits. */
export function Page() {
  const { t } = useTranslation('knowledge')
  const [filters, setFilters] = useFilters(readSearch)
  const { document, ...search } = filters
  const { mutate, data, error, isPending } = useChange('post', '/admin/v1/knowledge/search')
  const body = searchBody(filters)
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
      <SearchForm key={bodyText} search={search} onSearch={setFilters} onRepeat={repeat} pending={isPending} />
      {document && (
        <DocumentExplanation
          documentId={document}
          explanation={bodyText === undefined || isPending || error ? undefined : data}
          onClose={() => setFilters({ document: undefined })}
        />
      )}
      {bodyText === undefined ? (
        !document && <EmptyState title={t('search.emptyTitle')}>{t('search.emptyHint')}</EmptyState>
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

function Results({ explanation: { enabled, ceiling, withheld_by: withheldBy, visible, hidden }, applicationId }: ResultsProps) {
  const { t, i18n } = useTranslation('knowledge')
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
      {withheldBy.length > 0 && (
        <Alert color="red" variant="light" icon={<IconBan size={18} />} title={t('search.withheldTitle')}>
          {t('search.withheldBy', { count: withheldBy.length, rules: new Intl.ListFormat(i18n.language).format(withheldBy) })}
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
