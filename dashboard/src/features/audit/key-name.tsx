import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { NamedId } from './named-id.tsx'

/** An API key by its name. */
export function KeyName({ id }: { readonly id: string }) {
  const { t } = useTranslation('audit')
  const enabled = useScopes().hasScope('applications:read')
  const { data: key } = useRead('/admin/v1/keys/{id}', { params: { path: { id } } }, { enabled })
  const to = key && `/applications/${key.application_id}`
  return <NamedId id={id} name={key?.name} to={to} search={{ tab: 'keys' }} label={t('record.key')} />
}
