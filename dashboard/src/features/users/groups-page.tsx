import { Box } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { List } from '../../api/queries.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'

interface Group {
  readonly name: string
  readonly users: number
}

/** Numbers are near their names. An empty state is in the middle of the page. */
const TABLE = { maw: 560 } as const

interface GroupsPageProps {
  /** Also the name of the filter on the users page. */
  readonly kind: 'department' | 'project'
  readonly list: List<Group>
}

/** Page of departments or projects. Each exists as long as it has a user. */
export function GroupsPage({ kind, list }: GroupsPageProps) {
  const { t } = useTranslation('users')
  const columns: readonly Column<Group>[] = [
    {
      header: t('groups.name'),
      cell: ({ name }) => (
        <Link to="/settings/users" search={{ [kind]: name }}>
          {name}
        </Link>
      ),
    },
    { header: t('groups.users'), cell: ({ users }) => users, align: 'right' },
  ]
  return (
    <Frame title={t(`groups.${kind}.title`)} description={t(`groups.${kind}.description`)}>
      <Box {...(list.items?.length !== 0 && TABLE)}>
        <DataTable
          label={t(`groups.${kind}.title`)}
          list={list}
          columns={columns}
          keyOf={({ name }) => name}
          empty={
            <EmptyState
              title={t(`groups.${kind}.none`)}
              action={<LinkButton to="/settings/users">{t('groups.openUsers')}</LinkButton>}
            >
              {t(`groups.${kind}.noneHint`)}
            </EmptyState>
          }
        />
      </Box>
    </Frame>
  )
}
