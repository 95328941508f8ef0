import { useScopes } from '../../api/session.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { CreateButton } from './create-button.tsx'
import { useCurrentWorkspace } from './current-workspace.ts'
import { GeneralSection } from './general-section.tsx'
import { RetentionSection } from './retention-section.tsx'
import { UserTokensSection } from './user-tokens-section.tsx'

/** The Workspace's own settings: who signs user tokens, how long things are kept. */
export function Page() {
  const { data: workspace, error, refetch } = useCurrentWorkspace()
  const changes = useScopes().may('workspaces:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!workspace) return <PageSkeleton />
  const given = { workspace, readOnly: !changes }
  return (
    <Frame
      title="Workspace"
      description="Applications, users, policies and records of one Workspace are invisible to every other."
      actions={changes && <CreateButton />}
    >
      <GeneralSection key={`general ${workspace.id}`} {...given} />
      <UserTokensSection key={`tokens ${workspace.id}`} {...given} />
      <RetentionSection key={`retention ${workspace.id}`} {...given} />
    </Frame>
  )
}
