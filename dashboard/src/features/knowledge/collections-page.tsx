import { Box, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Classification } from '../../ui/classification.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import type { Collection } from './collection-form.tsx'
import { CreateButton } from './create-button.tsx'
import { useAclTexts } from './use-acl-texts.ts'
import { useApplicationTexts } from './use-application-texts.ts'

/** Collections of documents. */
export function Page() {
  const { t } = useTranslation('knowledge')
  const list = useList('/admin/v1/collections')
  const { hasScope } = useScopes()
  const columns = useColumns()
  const canCreate = hasScope('knowledge:write')
  return (
    <Frame
      title={t('title')}
      description={t('description')}
      actions={
        <>
          {hasScope('knowledge:content') && (
            <LinkButton to="/knowledge/search" variant="default">
              {t('searchAsUser')}
            </LinkButton>
          )}
          {canCreate && <CreateButton />}
        </>
      }
    >
      <DataTable
        label={t('collections.table')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={t('collections.emptyTitle')} action={canCreate && <CreateButton />}>
            {canCreate ? t('collections.emptyHint') : t('collections.emptyReadOnly')}
          </EmptyState>
        }
      />
    </Frame>
  )
}

function useColumns(): readonly Column<Collection>[] {
  const { t } = useTranslation('knowledge')
  const { readersOf } = useAclTexts()
  const applicationsOf = useApplicationTexts()
  return [
    { header: t('collections.name'), cell: (collection) => <Name collection={collection} /> },
    {
      header: t('collections.classification'),
      cell: ({ classification }) => <Classification level={classification} fallback={t('collections.noClassification')} />,
      from: 'xs',
    },
    {
      header: t('collections.readers'),
      cell: ({ acl }) => (acl === null ? t('collections.perDocument') : readersOf([acl])),
      from: 'sm',
    },
    {
      header: t('collections.applications'),
      cell: ({ applications }) => applicationsOf(applications),
      from: 'md',
    },
    { header: t('collections.updated'), cell: ({ updated_at }) => <Time at={updated_at} />, from: 'lg' },
  ]
}

function Name({ collection: { id, name, description } }: { readonly collection: Collection }) {
  return (
    <Box>
      <Link to={`/knowledge/${id}`} display="block" w="fit-content">
        {name}
      </Link>
      {description && (
        <Text size="sm" c="dimmed" lineClamp={1}>
          {description}
        </Text>
      )}
    </Box>
  )
}
