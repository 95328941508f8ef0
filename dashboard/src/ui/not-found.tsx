import { useLocation, useRouter } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { EmptyState } from './empty-state.tsx'
import { LinkButton } from './link.tsx'
import { useWindowTitle } from './use-window-title.ts'

/** Shown if the object of a page does not exist. Links to the page that lists such objects. `title`: "Budget not found". */
export function NotFound({ title }: { readonly title: string }) {
  const { t } = useTranslation('ui')
  const list = useParentPath()
  useWindowTitle(title)
  return (
    <EmptyState
      order={1}
      title={title}
      action={<LinkButton to={list}>{list === '/' ? t('notFound.openHome') : t('notFound.openList')}</LinkButton>}
    >
      {t('notFound.hint')}
    </EmptyState>
  )
}

/** The nearest page above the current one: /settings/users for /settings/users/alice. */
function useParentPath(): string {
  const { routesByPath } = useRouter()
  const segments = useLocation().pathname.split('/').slice(0, -1)
  const parents = segments.map((_, index) => segments.slice(0, segments.length - index).join('/'))
  return parents.find((path) => path in routesByPath) ?? '/'
}
