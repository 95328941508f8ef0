import { useForm } from '@mantine/form'
import { hasStatus } from '../../api/api-error.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useGo, usePathParam } from '../../routing/location.ts'
import { changedOnly } from '../../ui/changed-only.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { showInForm } from '../../ui/form-errors.ts'
import { errorWords, HealthBadge } from '../../ui/health-badge.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { ModelsSection } from './models-section.tsx'
import type { Provider } from './provider.ts'
import { ProviderForm } from './provider-form.tsx'
import { patchOf, valuesOf } from './provider-values.ts'
import { TestButton } from './test-button.tsx'

const REFRESH = ['/admin/v1/providers', '/admin/v1/models']
const EVERY_MS = 10_000

/** One provider: how it stands, its models and their prices, its settings. */
export function Page() {
  const id = usePathParam('id')
  const {
    data: provider,
    error,
    refetch,
  } = useRead('/admin/v1/providers/{id}', { params: { path: { id } } }, { every: EVERY_MS })
  const changes = useScopes().may('providers:write')
  if (hasStatus(error, 404)) {
    return (
      <EmptyState title="There is no such provider" action={<LinkButton to="/providers">All providers</LinkButton>}>
        It may have been removed, or belong to another Workspace.
      </EmptyState>
    )
  }
  if (error && !provider) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!provider) return <PageSkeleton />
  const { health, enabled, source } = provider
  return (
    <Frame
      title={provider.id}
      actions={
        <>
          <LinkButton to="/providers" variant="subtle">
            All providers
          </LinkButton>
          {changes && <TestButton provider={provider} />}
          {changes && <Removal id={provider.id} />}
        </>
      }
    >
      <Section title="How it stands">
        <Facts
          facts={[
            ['Health, on the node that answers', <HealthBadge key="health" enabled={enabled} health={health} />],
            ['Last error', <LastError key="error" error={health.last_error} />],
            ['Calls under way', `${health.active} of ${provider.max_concurrency}`],
            ['Declared by', SOURCES[source]],
            ['Changed', <Time key="changed" at={provider.updated_at} />],
          ]}
        />
      </Section>
      <ModelsSection providerId={id} />
      <Settings provider={provider} readOnly={!changes} />
    </Frame>
  )
}

function LastError({ error }: { readonly error: Provider['health']['last_error'] }) {
  if (!error) return 'none since the start'
  return (
    <>
      {errorWords(error.kind)}, <Time at={error.at} />
    </>
  )
}

const SOURCES: Readonly<Record<Provider['source'], string>> = {
  api: 'an operator',
  environment: "the server's environment",
  config: 'the configuration file',
}

function Settings({ provider, readOnly }: { readonly provider: Provider; readonly readOnly: boolean }) {
  const form = useForm({ initialValues: valuesOf(provider) })
  const update = useChange('patch', '/admin/v1/providers/{id}', {
    refresh: REFRESH,
    onDone: () => notifyDone('Saved. It holds from the next request on.'),
  })
  const { id } = provider
  useEdited(form, valuesOf(provider))
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
            { params: { path: { id } }, body: changedOnly(patchOf(values), patchOf(valuesOf(provider))) },
            { onSuccess: () => form.resetDirty(), onError: showInForm(form) },
          )
        }
      />
    </Section>
  )
}

function Removal({ id }: { readonly id: string }) {
  const go = useGo()
  const remove = useChange('delete', '/admin/v1/providers/{id}', { onDone: () => go('/providers') })
  return (
    <ConfirmButton
      color="red"
      question={`Remove ${id}?`}
      consequence="Its models and its key go with it. Requests go to other providers of the same models, or are refused."
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      Remove
    </ConfirmButton>
  )
}
