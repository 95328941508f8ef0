import { useTranslation } from 'react-i18next'
import { useAll, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type Filter, FilterBar } from '../../ui/filter-bar.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { Views } from '../../views/views.tsx'
import { CreateButton } from './create-button.tsx'
import { projectsOf, type User } from './user.ts'

const readFilters = ({ search, department, project }: Readonly<Record<string, unknown>>) => ({
  search: textOf(search),
  department: textOf(department),
  project: textOf(project),
})

/** The Workspace's directory of users. */
export function Page() {
  const { t } = useTranslation('users')
  const [values, setFilters] = useFilters(readFilters)
  const query = Object.fromEntries(Object.entries(values).filter(([, value]) => value))
  const list = useList('/admin/v1/users', { params: { query } })
  const canCreate = useScopes().hasScope('people:write')
  const filters = useUserFilters()
  const columns: readonly Column<User>[] = [
    { header: t('columns.name'), cell: ({ username }) => username },
    { header: t('columns.id'), cell: ({ id }) => id, from: 'sm' },
    { header: t('columns.role'), cell: ({ role }) => role },
    { header: t('columns.department'), cell: ({ department }) => department, from: 'sm' },
    { header: t('columns.projects'), cell: (user) => projectsOf(user).join(', '), from: 'md' },
    { header: t('columns.updated'), cell: ({ updated_at }) => <Time at={updated_at} />, from: 'lg' },
  ]
  return (
    <Frame title={t('title')} description={t('description')} actions={canCreate && <CreateButton />}>
      <FilterBar filters={filters} values={values} onChange={setFilters}>
        <Views page="users" />
      </FilterBar>
      <DataTable
        label={t('title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        rowLink={({ id }) => `/settings/users/${encodeURIComponent(id)}`}
        empty={
          Object.keys(query).length > 0 ? (
            <EmptyState title={t('none.noMatch')}>{t('none.noMatchHint')}</EmptyState>
          ) : (
            <EmptyState title={t('none.title')} action={canCreate && <CreateButton />}>
              {canCreate ? t('none.create') : t('none.ask')}
            </EmptyState>
          )
        }
      />
    </Frame>
  )
}

function useUserFilters(): readonly Filter[] {
  const { t } = useTranslation('users')
  const departments = useAll('/admin/v1/departments').items ?? []
  const projects = useAll('/admin/v1/projects').items ?? []
  const choicesOf = (groups: readonly { readonly name: string }[]) => groups.map(({ name }) => ({ value: name, label: name }))
  const choice = { kind: 'choice', pinned: true, searchable: true, width: 200 } as const
  return [
    { name: 'search', label: t('filters.search'), placeholder: t('filters.searchHint'), kind: 'text', pinned: true, width: 220 },
    { name: 'department', label: t('filters.department'), choices: choicesOf(departments), ...choice },
    { name: 'project', label: t('filters.project'), choices: choicesOf(projects), ...choice },
  ]
}
