import { useForm } from '@mantine/form'
import { Trans, useTranslation } from 'react-i18next'
import { hasStatus } from '../../api/api-error.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { errorLabel, HealthBadge } from '../../ui/health-badge.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { ConnectionTestDialog, useConnectionTest } from './connection-test.tsx'
import { ModelsSection } from './models-section.tsx'
import type { Provider } from './provider.ts'
import { ProviderForm } from './provider-form.tsx'
import { patchBody, valuesOf } from './provider-values.ts'
import { TestButton } from './test-button.tsx'
import { useServiceName } from './use-service-name.ts'

const REFRESH = ['/admin/v1/providers', '/admin/v1/models']
const REFETCH_MS = 10_000

/** One provider: status, models and settings. */
export function Page() {
  const { t } = useTranslation('providers')
  const id = usePathParam('id')
  const {
    data: provider,
    error,
    refetch,
  } = useRead('/admin/v1/providers/{id}', { params: { path: { id } } }, { refetchInterval: REFETCH_MS })
  const canEdit = useScopes().hasScope('providers:write')
  if (error && (!provider || hasStatus(error, 404))) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!provider) return <PageSkeleton />
  return (
    <Frame
      title={provider.id}
      parent={{ to: '/providers', label: t('provider.all') }}
      actions={
        <>
          {canEdit && <TestButton provider={provider} />}
          {canEdit && <DeleteButton id={provider.id} />}
        </>
      }
    >
      <Status provider={provider} />
      <ModelsSection provider={provider} />
      <Settings provider={provider} readOnly={!canEdit} />
    </Frame>
  )
}

interface ProviderProps {
  readonly provider: Provider
}

function Status({ provider }: ProviderProps) {
  const { t } = useTranslation('providers')
  const serviceName = useServiceName()
  const { health, enabled, source, max_concurrency, updated_at } = provider
  return (
    <Section title={t('provider.status')}>
      <DescriptionList
        items={[
          [t('provider.service'), serviceName(provider)],
          [t('provider.health'), <HealthBadge key="health" enabled={enabled} health={health} />],
          [t('provider.lastError'), <LastError key="error" error={health.last_error} />],
          [t('provider.inFlight'), t('provider.inFlightOf', { active: health.active, limit: max_concurrency })],
          [t('provider.managedBy'), t(`provider.sources.${source}`)],
          [t('provider.updated'), <Time key="changed" at={updated_at} />],
        ]}
      />
    </Section>
  )
}

function LastError({ error }: { readonly error: Provider['health']['last_error'] }) {
  const { t } = useTranslation('providers')
  if (!error) return t('provider.noError')
  return (
    <Trans
      ns="providers"
      i18nKey="provider.errorAt"
      values={{ error: errorLabel(error.kind) }}
      components={{ time: <Time at={error.at} /> }}
    />
  )
}

function Settings({ provider, readOnly }: ProviderProps & { readonly readOnly: boolean }) {
  const { t } = useTranslation('providers')
  const form = useForm({ initialValues: valuesOf(provider) })
  const update = useChange('patch', '/admin/v1/providers/{id}', {
    refresh: REFRESH,
    onDone: () => notifySuccess(t('form.saved')),
  })
  const { id } = provider
  const test = useConnectionTest(id)
  useFormSync(form, valuesOf(provider))
  return (
    <Section title={t('provider.settings')}>
      <ProviderForm
        form={form}
        provider={provider}
        readOnly={readOnly}
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id } }, body: changedFields(patchBody(values), patchBody(form.getInitialValues())) },
            {
              onSuccess: () => {
                form.resetDirty(values)
                if (values.api_key) test.start()
              },
              onError: showFormError(form),
            },
          )
        }
      />
      <ConnectionTestDialog test={test} />
    </Section>
  )
}

function DeleteButton({ id }: { readonly id: string }) {
  const { t } = useTranslation('providers')
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/providers/{id}', { onDone: () => navigateTo('/providers') })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={t('provider.deleteQuestion', { id })}
      consequence={t('provider.deleteConsequence')}
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      {t('provider.delete')}
    </ConfirmButton>
  )
}
