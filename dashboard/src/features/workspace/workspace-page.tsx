import { useTranslation } from 'react-i18next'
import { useScopes } from '../../api/session.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { CreateWorkspace } from '../../views/create-workspace.tsx'
import { useCurrentWorkspace } from './current-workspace.ts'
import { GeneralSection } from './general-section.tsx'
import { RetentionSection } from './retention-section.tsx'
import { UserTokensSection } from './user-tokens-section.tsx'

/** Settings of the Workspace: name, user tokens and retention. */
export function Page() {
  const { t } = useTranslation('workspace')
  const { data: workspace, error, refetch } = useCurrentWorkspace()
  const { hasScope, hasScopeInAll } = useScopes()
  const canEdit = hasScope('workspaces:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!workspace) return <PageSkeleton />
  const props = { workspace, readOnly: !canEdit }
  return (
    <Frame
      title={t('title')}
      description={t('description')}
      actions={hasScopeInAll('workspaces:write') && <CreateWorkspace to="/settings/workspace" fragment="#create" />}
    >
      <GeneralSection key={`general ${workspace.id}`} {...props} />
      <UserTokensSection key={`tokens ${workspace.id}`} {...props} />
      <RetentionSection key={`retention ${workspace.id}`} {...props} />
    </Frame>
  )
}
