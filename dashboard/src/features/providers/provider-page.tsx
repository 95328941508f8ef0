import { useForm } from '@mantine/form'
import { hasStatus } from '../../api/api-error.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { errorLabel, HealthBadge } from '../../ui/health-badge.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { ModelsSection } from './models-section.tsx'
import { KIND_LABELS, type Provider } from './provider.ts'
import { ProviderForm } from './provider-form.tsx'
import { patchBody, valuesOf } from './provider-values.ts'
import { TestButton } from './test-button.tsx'

const REFRESH = ['/admin/v1/providers', '/admin/v1/models']
const REFETCH_MS = 10_000

/** One provider: status, models and settings. */
export function Page() {
  const id = usePathParam('id')
  const {
    data: provider,
    error,
    refetch,
  } = useRead('/admin/v1/providers/{id}', { params: { path: { id } } }, { refetchInterval: REFETCH_MS })
  const canEdit = useScopes().hasScope('providers:write')
  if (hasStatus(error, 404)) {
    return (
      <EmptyState title="Provider not found" action={<LinkButton to="/providers">All providers</LinkButton>}>
        It was removed, or it belongs to another Workspace.
      </EmptyState>
    )
  }
  if (error && !provider) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!provider) return <PageSkeleton />
  const { health, enabled, source } = provider
  return (
    <Frame
      title={provider.id}
      parent={{ to: '/providers', label: 'All providers' }}
      actions={
        <>
          {canEdit && <TestButton provider={provider} />}
          {canEdit && <RemoveButton id={provider.id} />}
        </>
      }
    >
      <Section title="Status">
        <DescriptionList
          items={[
            ['Type', KIND_LABELS[provider.kind]],
            ['Health (this node)', <HealthBadge key="health" enabled={enabled} health={health} />],
            ['Last error', <LastError key="error" error={health.last_error} />],
            ['Requests in flight', `${health.active} of ${provider.max_concurrency}`],
            ['Managed by', SOURCES[source]],
            ['Updated', <Time key="changed" at={provider.updated_at} />],
          ]}
        />
      </Section>
      <ModelsSection provider={provider} />
      <Settings provider={provider} readOnly={!canEdit} />
    </Frame>
  )
}

function LastError({ error }: { readonly error: Provider['health']['last_error'] }) {
  if (!error) return 'None since the server started'
  return (
    <>
      {errorLabel(error.kind)}, <Time at={error.at} />
    </>
  )
}

const SOURCES: Readonly<Record<Provider['source'], string>> = {
  api: 'Operators',
  environment: 'Environment variables',
  config: 'Configuration file',
}

function Settings({ provider, readOnly }: { readonly provider: Provider; readonly readOnly: boolean }) {
  const form = useForm({ initialValues: valuesOf(provider) })
  const update = useChange('patch', '/admin/v1/providers/{id}', {
    refresh: REFRESH,
    onDone: () => notifySuccess('Saved. The settings apply to the next request.'),
  })
  const { id } = provider
  useFormSync(form, valuesOf(provider))
  return (
    <Section title="Settings">
      <ProviderForm
        form={form}
        isNew={false}
        keyFrom={provider.api_key_from}
        readOnly={readOnly}
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id } }, body: changedFields(patchBody(values), patchBody(valuesOf(provider))) },
            { onSuccess: () => form.resetDirty(), onError: showFormError(form) },
          )
        }
      />
    </Section>
  )
}

function RemoveButton({ id }: { readonly id: string }) {
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/providers/{id}', { onDone: () => navigateTo('/providers') })
  return (
    <ConfirmButton
      color="red"
      question={`Remove ${id}?`}
      consequence="Its models and its key are removed too. Requests go to other providers of the models. Without one, they are refused."
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      Remove
    </ConfirmButton>
  )
}
