import { useTranslation } from 'react-i18next'
import { DEFAULT_EXTENSIONS } from '../../../../server/src/shared/client-snippets.ts'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { NameButton } from '../../ui/name-button.tsx'

/** Creates an Application and opens its keys. */
export function CreateButton() {
  const { t } = useTranslation('applications')
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/applications', {
    refresh: ['/admin/v1/applications'],
    onDone: ({ id }) => navigateTo(`/applications/${id}`, { tab: 'keys' }),
  })
  return (
    <NameButton
      title={t('create.title')}
      description={t('create.hint')}
      action={t('create.action')}
      fragment="#create"
      onName={(name) => create.mutateAsync({ body: { name, settings: { extensions: [...DEFAULT_EXTENSIONS] } } })}
    />
  )
}
