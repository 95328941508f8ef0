import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useGo, usePathParam } from '../../routing/location.ts'
import { changedOnly } from '../../ui/changed-only.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { DeliveriesSection } from './deliveries-section.tsx'
import { Enabled } from './enabled.tsx'
import type { Webhook } from './event-types.ts'
import { useWebhookForm, valuesOf, WebhookForm, webhookBody } from './webhook-form.tsx'

const REFRESH = ['/admin/v1/webhooks']

/** One webhook, and what became of what it was sent. */
export function Page() {
  const id = usePathParam('id')
  const { data: webhook, error, refetch } = useRead('/admin/v1/webhooks/{id}', { params: { path: { id } } })
  const changes = useScopes().may('messaging:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!webhook) return <PageSkeleton />
  return (
    <Frame
      title="Webhook"
      description={webhook.url}
      actions={
        <>
          <LinkButton to="/settings/webhooks" variant="subtle">
            All webhooks
          </LinkButton>
          {changes && <Deletion webhook={webhook} />}
        </>
      }
    >
      <Section title="What it is told" actions={changes && <EditButton webhook={webhook} />}>
        <Facts
          facts={[
            ['State', <Enabled key="state" enabled={webhook.enabled} />],
            ['Events', webhook.types === null ? 'all' : webhook.types.join(', ')],
            ['Added', <Time key="created" at={webhook.created_at} />],
            ['Id', <Copyable key="id" value={webhook.id} what="the id" />],
          ]}
        />
      </Section>
      <DeliveriesSection webhookId={id} mayReplay={changes} />
    </Frame>
  )
}

function EditButton({ webhook }: { readonly webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure()
  const form = useWebhookForm(webhook)
  const update = useChange('patch', '/admin/v1/webhooks/{id}', {
    refresh: REFRESH,
    onDone: () => {
      form.resetDirty()
      close()
    },
  })
  useEdited(form, valuesOf(webhook))
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Change
      </Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !update.isPending} onClose={dismiss} title="Change the webhook">
        <WebhookForm
          form={form}
          submit="Save"
          pending={update.isPending}
          onSubmit={(values) =>
            update.mutate(
              { params: { path: { id: webhook.id } }, body: changedOnly(webhookBody(values), webhookBody(valuesOf(webhook))) },
              { onError: showInForm(form) },
            )
          }
        />
      </FormModal>
    </>
  )
}

function Deletion({ webhook: { id, url } }: { readonly webhook: Webhook }) {
  const go = useGo()
  const remove = useChange('delete', '/admin/v1/webhooks/{id}', { expire: REFRESH, onDone: () => go('/settings/webhooks') })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question="Delete the webhook?"
      consequence={`${url} hears of nothing any more, and its deliveries are deleted. This cannot be taken back.`}
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      Delete
    </ConfirmButton>
  )
}
