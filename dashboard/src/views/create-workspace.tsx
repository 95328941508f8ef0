import { useTranslation } from 'react-i18next'
import { useChange } from '../api/queries.ts'
import { useNavigateTo } from '../routing/location.ts'
import { NameButton } from '../ui/name-button.tsx'

interface CreateWorkspaceProps {
  /** Page that shows the new Workspace. */
  readonly to: string
  readonly variant?: 'default' | 'filled'
  /** Fragment of the page's URL that opens the dialog once: "#create". */
  readonly fragment?: string
}

/** Creates a Workspace and opens a page of it. */
export function CreateWorkspace({ to, variant = 'default', fragment }: CreateWorkspaceProps) {
  const { t } = useTranslation()
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/workspaces', {
    refresh: ['/admin/v1/session'],
    onDone: ({ name }) => navigateTo(to, { workspace: name }),
  })
  return (
    <NameButton
      variant={variant}
      {...(fragment && { fragment })}
      title={t('createWorkspace.title')}
      description={t('createWorkspace.hint')}
      action={t('createWorkspace.submit')}
      onName={(name) => create.mutateAsync({ body: { name } })}
    />
  )
}
