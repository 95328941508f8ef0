import { Button, type ButtonProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { sendRequest } from '../../api/operations.ts'
import { useAll, useChange } from '../../api/queries.ts'
import type { PolicySetWithSource } from '../../api/schema.d.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { useFragmentAction } from '../../ui/form-dialog.tsx'
import { notifyError } from '../../ui/notify.ts'
import { baseOf } from './use-base-version.ts'

const FIRST_DOCUMENT = `name: policies
rules:
  - id: secrets-never-leave
    description: Credentials must not reach a provider.
    at: [input]
    when: content.findings.secret > 0
    verdict: deny
`

interface CreateDraftButtonProps extends Pick<ButtonProps, 'variant'> {
  /** The version whose text the draft starts with. Default: the active one. */
  readonly from?: PolicySetWithSource
}

/** Creates a draft that replaces the active version, and opens it. */
export function CreateDraftButton({ from, variant }: CreateDraftButtonProps) {
  const { t } = useTranslation('policies')
  const navigateTo = useNavigateTo()
  const { items } = useAll('/admin/v1/policy-sets', {}, { staleTime: 0 })
  const create = useChange('post', '/admin/v1/policy-drafts', {
    refresh: ['/admin/v1/policy-drafts'],
    onDone: ({ id }) => navigateTo(`/policies/drafts/${id}`),
  })
  const active = items?.find((one) => one.active)
  const start = async () => {
    const origin =
      from ?? (active && (await sendRequest('get', '/admin/v1/policy-sets/{id}', { params: { path: { id: active.id } } })))
    const title = origin ? t('draft.titleFrom', { name: origin.name, version: origin.version }) : t('draft.titleFirst')
    await create.mutateAsync({ body: { title, source: origin?.source ?? FIRST_DOCUMENT, base_version: baseOf(active) } })
  }
  const startOrNotify = () => void start().catch(notifyError)
  useFragmentAction(items && !from ? '#create' : undefined, startOrNotify)
  return (
    <Button variant={variant ?? 'filled'} disabled={!items} loading={create.isPending} onClick={startOrNotify}>
      {t(from ? 'draft.editAs' : 'draft.create')}
    </Button>
  )
}
