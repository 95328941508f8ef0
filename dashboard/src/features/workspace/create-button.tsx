import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { NameButton } from '../../ui/name-button.tsx'

/** Creates a Workspace and opens it. */
export function CreateButton() {
  const { t } = useTranslation('workspace')
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/workspaces', {
    refresh: ['/admin/v1/session'],
    onDone: ({ name }) => navigateTo('/settings/workspace', { workspace: name }),
  })
  return (
    <NameButton
      variant="default"
      title={t('create.title')}
      description={t('create.hint')}
      action={t('create.submit')}
      onName={(name) => create.mutateAsync({ body: { name } })}
    />
  )
}
