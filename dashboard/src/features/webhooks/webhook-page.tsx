import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
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
import { useEventTypes, type Webhook } from './event-types.ts'
import { shownUrl } from './shown-url.ts'
import { TestButton } from './test-button.tsx'
import { useWebhookForm, valuesOf, WebhookForm, webhookBody } from './webhook-form.tsx'

const REFRESH = ['/admin/v1/webhooks']

/** One webhook with its deliveries. */
export function Page() {
  const { t } = useTranslation('webhooks')
  const { listOf } = useEventTypes()
  const id = usePathParam('id')
  const { data: webhook, error, refetch } = useRead('/admin/v1/webhooks/{id}', { params: { path: { id } } })
  const canEdit = useScopes().hasScope('messaging:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!webhook) return <PageSkeleton />
  return (
    <Frame
      title={t('webhook')}
      description={<span style={{ overflowWrap: 'anywhere' }}>{shownUrl(webhook.url)}</span>}
      parent={{ to: '/settings/webhooks', label: t('allWebhooks') }}
      actions={canEdit && <DeleteButton webhook={webhook} />}
    >
      <Section
        title={t('configuration')}
        actions={
          canEdit && (
            <Group gap="xs">
              <TestButton id={id} />
              <EditButton webhook={webhook} />
            </Group>
          )
        }
      >
        <DescriptionList
          items={[
            [t('columns.status'), <EnabledBadge key="state" enabled={webhook.enabled} />],
            [t('columns.format'), t(`formats.${webhook.format}`)],
            [t('columns.events'), listOf(webhook.types)],
            [t('created'), <Time key="created" at={webhook.created_at} />],
            [t('id'), <Copyable key="id" value={webhook.id} label={t('id')} />],
          ]}
        />
      </Section>
      <DeliveriesSection webhookId={id} canReplay={canEdit} />
    </Frame>
  )
}

function EditButton({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation('webhooks')
  const form = useWebhookForm(webhook)
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/webhooks/{id}', { refresh: REFRESH, onDone: dialog.saved })
  useFormSync(form, valuesOf(webhook))
  return (
    <FormDialog dialog={dialog} title={t('edit.title')} {...EDIT_BUTTON} pending={update.isPending}>
      <WebhookForm
        form={form}
        submit={t('edit.submit')}
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            {
              params: { path: { id: webhook.id } },
              body: changedFields(webhookBody(values), webhookBody(form.getInitialValues())),
            },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}

function DeleteButton({ webhook: { id, url } }: { readonly webhook: Webhook }) {
  const { t } = useTranslation('webhooks')
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/webhooks/{id}', {
    expire: REFRESH,
    onDone: () => navigateTo('/settings/webhooks'),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={t('delete.question')}
      consequence={t('delete.consequence', { url: shownUrl(url) })}
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      {t('delete.action')}
    </ConfirmButton>
  )
}
