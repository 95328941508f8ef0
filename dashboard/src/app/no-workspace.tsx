import { useTranslation } from 'react-i18next'
import { useScopes } from '../api/session.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from '../ui/page.tsx'
import { CreateWorkspace } from '../views/create-workspace.tsx'

/** Shown instead of a page of a Workspace while the server has none: creates the first one and opens Home, which lists the next steps. */
export function NoWorkspace() {
  const { t } = useTranslation('app')
  const canCreate = useScopes().hasScopeInAll('workspaces:write')
  return (
    <Page title={t('noWorkspace.title')}>
      <EmptyState title={t('noWorkspace.heading')} action={canCreate && <CreateWorkspace to="/" variant="filled" />}>
        {canCreate ? t('noWorkspace.hint') : t('noWorkspace.askOwner')}
      </EmptyState>
    </Page>
  )
}
