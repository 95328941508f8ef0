import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useChange, useRead } from '../../api/queries.ts'
import type { PolicySet } from '../../api/schema.d.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { PublicationForm } from './publication-form.tsx'
import { NO_VERSION, useBaseVersion } from './use-base-version.ts'

interface RollBackButtonProps {
  readonly policySet: Pick<PolicySet, 'id' | 'name' | 'version'>
  readonly size?: 'xs' | 'sm'
}

/** Publishes the document of an earlier version as a new version. The dialog shows the changed rules. */
export function RollBackButton({ policySet, size = 'sm' }: RollBackButtonProps) {
  const { t } = useTranslation('policies')
  const [opened, { open, close }] = useDisclosure()
  const base = useBaseVersion()
  const { name, version } = policySet
  return (
    <>
      <Button
        variant="default"
        size={size}
        disabled={!base}
        aria-label={t('rollBack.actionFor', { name, version })}
        onClick={open}
      >
        {t('rollBack.action')}
      </Button>
      <Modal opened={opened} onClose={close} size="lg" title={t('rollBack.question', { name, version })}>
        {opened && base && <RollBack policySet={policySet} base={base} onClose={close} />}
      </Modal>
    </>
  )
}

interface RollBackProps extends Pick<RollBackButtonProps, 'policySet'> {
  /** Id of the active version. */
  readonly base: string
  readonly onClose: () => void
}

function RollBack({ policySet: earlier, base, onClose }: RollBackProps) {
  const { t } = useTranslation('policies')
  const navigateTo = useNavigateTo()
  const params = { path: { id: base }, query: { to: earlier.id } }
  const diff = useRead('/admin/v1/policy-sets/{id}/diff', { params }, { enabled: base !== NO_VERSION })
  const version = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id: earlier.id } } })
  const publish = useChange('post', '/admin/v1/policy-sets', {
    refresh: ['/admin/v1/policy-sets'],
    onDone: (published) => {
      notifySuccess(t('publish.done', { name: published.name, version: published.version }))
      navigateTo(`/policies/${published.id}`)
    },
  })
  const error = version.error ?? publish.error
  const rollBack = (reason: string) => {
    const note = t('rollBack.note', { name: earlier.name, version: earlier.version, reason })
    if (version.data) publish.mutate({ params: { query: { base_version: base } }, body: { source: version.data.source, note } })
  }
  return (
    <PublicationForm
      consequence={t('rollBack.consequence', { version: earlier.version })}
      changes={diff.data}
      changesError={diff.error}
      action={t('rollBack.action')}
      pending={publish.isPending}
      onCancel={onClose}
      disabled={!version.data}
      onPublish={rollBack}
    >
      {error && <ErrorState title={t('publish.failed')} error={error} />}
    </PublicationForm>
  )
}
