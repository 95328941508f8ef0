import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { EDIT_BUTTON, FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { DeliveriesSection } from './deliveries-section.tsx'
import { EnabledBadge } from './enabled-badge.tsx'
import type { Webhook } from './event-types.ts'
import { useWebhookForm, valuesOf, WebhookForm, webhookBody } from './webhook-form.tsx'

const REFRESH = ['/admin/v1/webhooks']

/** One webhook with its deliveries. */
export function Page() {
  const id = usePathParam('id')
  const { data: webhook, error, refetch } = useRead('/admin/v1/webhooks/{id}', { params: { path: { id } } })
  const canEdit = useScopes().hasScope('messaging:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!webhook) return <PageSkeleton />
  return (
    <Frame
      title="Webhook"
      description={webhook.url}
      parent={{ to: '/settings/webhooks', label: 'All webhooks' }}
      actions={canEdit && <DeleteButton webhook={webhook} />}
    >
      <Section title="Configuration" actions={canEdit && <EditButton webhook={webhook} />}>
        <DescriptionList
          items={[
            ['Status', <EnabledBadge key="state" enabled={webhook.enabled} />],
            ['Events', webhook.types === null ? 'All' : webhook.types.join(', ')],
            ['Created', <Time key="created" at={webhook.created_at} />],
            ['ID', <Copyable key="id" value={webhook.id} label="ID" />],
          ]}
        />
      </Section>
      <DeliveriesSection webhookId={id} canReplay={canEdit} />
    </Frame>
  )
}

function EditButton({ webhook }: { readonly webhook: Webhook }) {
  const form = useWebhookForm(webhook)
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/webhooks/{id}', { refresh: REFRESH, onDone: dialog.saved })
  useFormSync(form, valuesOf(webhook))
  return (
    <FormDialog dialog={dialog} title="Edit webhook" {...EDIT_BUTTON} pending={update.isPending}>
      <WebhookForm
        form={form}
        submit="Save"
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id: webhook.id } }, body: changedFields(webhookBody(values), webhookBody(valuesOf(webhook))) },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}

function DeleteButton({ webhook: { id, url } }: { readonly webhook: Webhook }) {
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/webhooks/{id}', {
    expire: REFRESH,
    onDone: () => navigateTo('/settings/webhooks'),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question="Delete webhook?"
      consequence={`${url} receives no more events, and its deliveries are deleted. This cannot be undone.`}
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      Delete
    </ConfirmButton>
  )
}
