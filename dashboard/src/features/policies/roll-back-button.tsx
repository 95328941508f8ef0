import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { sendRequest } from '../../api/operations.ts'
import { useChange, useRead } from '../../api/queries.ts'
import type { PolicySet } from '../../api/schema.d.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { useBaseVersion } from './use-base-version.ts'

interface RollBackButtonProps {
  readonly policySet: Pick<PolicySet, 'id' | 'name' | 'version'>
  readonly size?: 'xs' | 'sm'
}

/** Publishes the document of an earlier version as a new version. The confirmation names the changed rules. */
export function RollBackButton({ policySet: { id, name, version }, size = 'sm' }: RollBackButtonProps) {
  const { t } = useTranslation('policies')
  const navigateTo = useNavigateTo()
  const base = useBaseVersion()
  const publish = useChange('post', '/admin/v1/policy-sets', {
    refresh: ['/admin/v1/policy-sets'],
    onDone: (published) => {
      notifySuccess(t('publish.done', { name: published.name, version: published.version }))
      navigateTo(`/policies/${published.id}`)
    },
  })
  const rollBack = async () => {
    const { source } = await sendRequest('get', '/admin/v1/policy-sets/{id}', { params: { path: { id } } })
    await publish.mutateAsync({
      params: { query: { ...(base !== undefined && { base_version: base }) } },
      body: { source, note: t('rollBack.note', { name, version }) },
    })
  }
  return (
    <ConfirmButton
      size={size}
      destructive={false}
      disabled={!base}
      aria-label={t('rollBack.actionFor', { name, version })}
      question={t('rollBack.question', { name, version })}
      consequence={<Consequence id={id} version={version} base={base} />}
      onConfirm={rollBack}
    >
      {t('rollBack.action')}
    </ConfirmButton>
  )
}

interface ConsequenceProps {
  readonly id: string
  readonly version: number
  /** Id of the active version. */
  readonly base: string | undefined
}

/** The rules that rolling back to a version changes. */
function Consequence({ id, version, base }: ConsequenceProps) {
  const { t } = useTranslation('policies')
  const params = { path: { id: base ?? '' }, query: { to: id } }
  const diff = useRead('/admin/v1/policy-sets/{id}/diff', { params }, { enabled: base?.startsWith('pol_') ?? false })
  const { added = [], removed = [], changed = [] } = diff.data ?? {}
  const changes = [
    ['added', added],
    ['removed', removed],
    ['changed', changed.map((rule) => rule.id)],
  ] as const
  return (
    <>
      {t('rollBack.consequence', { version })}
      {changes.map(
        ([kind, ids]) =>
          ids.length > 0 && (
            <Text key={kind} span display="block" mt="xs">
              {t(`rollBack.${kind}`, { rules: ids.join(', ') })}
            </Text>
          ),
      )}
    </>
  )
}
